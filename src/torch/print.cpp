#include "torch/print.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

namespace attn::torch {
namespace {

constexpr std::string_view prefix = "tensor(";

using Cells = std::vector<PrintedCell>;

/// The output text, and who receives more than the text.
struct Output {
  std::string text;
  Cells* cells = nullptr;          ///< receives the places of the elements
  const TextSink* sink = nullptr;  ///< receives complete lines from time to time; `text` is what follows them
  std::size_t at_most = std::size_t{1} << 16U;  ///< before that

  void append(std::string_view more) {
    text += more;
    if (sink != nullptr && text.size() >= at_most) {
      const std::size_t lines = text.rfind('\n') + 1;  // 0 if there is none
      (*sink)(std::string_view(text).substr(0, lines));
      text.erase(0, lines);
      at_most = std::max(at_most, 2 * text.size());  // of a line without end
    }
  }
};

/// The range of the shown nonzero finite elements, as far as it decides the format.
struct FloatRange {
  float lowest = std::numeric_limits<float>::infinity();
  float highest = -std::numeric_limits<float>::infinity();
  float smallest_magnitude = std::numeric_limits<float>::infinity();
  bool all_integers = true;

  void include(float value) {
    if (value == 0.0F || !std::isfinite(value)) {
      return;
    }
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    smallest_magnitude = std::min(smallest_magnitude, std::abs(value));
    all_integers = all_integers && value == std::ceil(value);
  }

  bool empty() const { return lowest > highest; }

  /// The requested notation, else PyTorch's rule, in double: magnitudes too far apart, too large, or (fractions) too
  /// small.
  bool is_scientific(SciMode mode) const {
    if (mode != SciMode::automatic) {
      return mode == SciMode::on;
    }
    const double largest = std::max(std::abs(lowest), std::abs(highest));
    const double smallest = smallest_magnitude;
    return largest / smallest > 1000.0 || largest > 1.0e8 || (!all_integers && smallest < 1.0e-4);
  }
};

/// Formats elements one at a time as PyTorch does, in a column whose width and notation depend on the shown elements.
template <class Element>
class Formatter {
 public:
  Formatter(const View<Element>& view, const PrintOptions& /*options*/) {
    auto widen = [this](Element value) { width_ = std::max(width_, text(value).size()); };
    for_each_shown(view, widen);
  }

  /// The column's width in characters.
  std::size_t width() const { return width_; }
  /// The element without padding; valid until the next call.
  std::string_view text(Element value) {
    if constexpr (std::is_same_v<Element, bool>) {
      return value ? "True" : "False";
    } else {
      buffer_ = std::to_string(value);
      return buffer_;
    }
  }

 private:
  std::string buffer_;
  std::size_t width_ = 1;
};

template <>
class Formatter<float> {
 public:
  Formatter(const View<float>& view, const PrintOptions& options)
      : precision_(options.precision), buffer_(static_cast<std::size_t>(options.precision) + longest_without_fraction) {
    FloatRange range;
    auto include = [&range](float value) { range.include(value); };
    for_each_shown(view, include);
    if (range.empty()) {
      return;
    }
    is_scientific_ = range.is_scientific(options.sci_mode);
    is_integral_ = !is_scientific_ && range.all_integers;
    // Within one notation, a larger magnitude never has a shorter text.
    width_ = text(range.lowest).size();
    width_ = std::max(width_, text(range.highest).size());
  }

  std::size_t width() const { return width_; }
  std::string_view text(float value) {
    if (std::isnan(value)) {
      return "nan";
    }
    const auto format = is_scientific_ ? std::chars_format::scientific : std::chars_format::fixed;
    char* const begin = buffer_.data();
    char* end =
        std::to_chars(begin, begin + buffer_.size(), static_cast<double>(value), format, is_integral_ ? 0 : precision_)
            .ptr;
    if (is_integral_ && std::isfinite(value)) {
      *end++ = '.';
    }
    return {begin, static_cast<std::size_t>(end - begin)};
  }

 private:
  /// Sign, 39 digits of the largest float, point; the exponent of scientific notation is shorter.
  static constexpr std::size_t longest_without_fraction = 48;

  int precision_;
  std::vector<char> buffer_;
  bool is_scientific_ = false;
  bool is_integral_ = true;
  std::size_t width_ = 1;
};

/// Writes the nested brackets of one tensor and, on request, the places of its elements.
template <class Element>
class Writer {
 public:
  Writer(Output& out, const View<Element>& view, const PrintOptions& options)
      : out_(out), linewidth_(options.linewidth), formatter_(view, options) {}

  void write(const View<Element>& view, std::size_t indent) {
    switch (view.axes.size()) {
      case 0: write_element(*view.data, view.position); break;
      case 1: write_vector(view, indent); break;
      default: write_slices(view, indent);
    }
  }

 private:
  static constexpr std::string_view separator = ", ";

  /// Writes the element right-aligned in its column.
  void write_element(const Element& value, std::int64_t position) {
    const std::string_view text = formatter_.text(value);
    out_.text.append(formatter_.width() - std::min(formatter_.width(), text.size()), ' ');
    if (out_.cells != nullptr) {
      out_.cells->push_back({position, out_.text.size(), text.size()});
    }
    out_.append(text);
  }

  void write_vector(const View<Element>& view, std::size_t indent) {
    const std::string line_break = ",\n" + std::string(indent + 1, ' ');
    const std::size_t per_line = elements_per_line(indent);
    std::size_t room = per_line + 1;
    auto separate = [&] {
      if (--room == 0) {
        out_.append(line_break);
        room = per_line;
      } else if (room < per_line) {
        out_.append(separator);
      }
    };
    auto write_item = [&](std::int64_t i) {
      separate();
      write_element(view.element(i), view.position + i);
    };
    auto write_dots = [&] {
      separate();
      out_.append(view.axes.front().count() == 0 ? "..." : " ...");
    };
    out_.append("[");
    for_each_item(view.axes.front(), write_item, write_dots);
    out_.append("]");
  }

  void write_slices(const View<Element>& view, std::size_t indent) {
    const std::string between = "," + std::string(view.axes.size() - 1, '\n') + std::string(indent + 1, ' ');
    bool first = true;
    auto separate = [&] {
      if (!std::exchange(first, false)) {
        out_.append(between);
      }
    };
    auto write_slice = [&](std::int64_t i) {
      separate();
      write(view.slice(i), indent + 1);
    };
    auto write_dots = [&] {
      separate();
      out_.append("...");
    };
    out_.append("[");
    for_each_item(view.axes.front(), write_slice, write_dots);
    out_.append("]");
  }

  std::size_t elements_per_line(std::size_t indent) const {
    if (linewidth_ <= static_cast<std::int64_t>(indent)) {
      return 1;
    }
    const std::size_t room = static_cast<std::size_t>(linewidth_) - indent;
    return std::max<std::size_t>(1, room / (formatter_.width() + separator.size()));
  }

  Output& out_;
  std::int64_t linewidth_;
  Formatter<Element> formatter_;
};

/// Appends the elements of a tensor that has at least one.
template <class Element>
void append_elements(Output& out, const Block<Element>& block, const Printable& values, const PrintOptions& options) {
  const std::vector<ShownItems> axes = shown_items(values.shape, options);
  const View<Element> view{block.data(), axes, element_count(values.shape), 0, values.is_all};
  Writer<Element>(out, view, options).write(view, prefix.size());
}

/// What "[]" does not show: any shape but (0,), any dtype but float32.
template <class Element>
std::vector<std::string> empty_tensor_suffixes(const Shape& shape) {
  std::vector<std::string> suffixes;
  if (shape.size() != 1) {
    suffixes.push_back("size=" + tuple_text(shape));
  }
  if constexpr (!std::is_same_v<Element, float>) {
    suffixes.push_back(std::is_same_v<Element, bool> ? "dtype=torch.bool" : "dtype=torch.int64");
  }
  return suffixes;
}

/// Appends suffixes, each on a new line if it would not fit. PyTorch counts the first line (or the line after the last
/// "\n") as two characters longer than it is.
class SuffixWriter {
 public:
  SuffixWriter(std::string& out, std::int64_t linewidth)
      : out_(out), linewidth_(linewidth), line_length_(last_line_length(out) + 2) {}

  void append(std::string_view suffix) {
    const auto length = static_cast<std::int64_t>(suffix.size());
    if (line_length_ + length + 2 > linewidth_) {
      out_ += ",\n";
      out_.append(prefix.size(), ' ');
      line_length_ = static_cast<std::int64_t>(prefix.size()) + length;
    } else {
      out_ += ", ";
      line_length_ += length + 2;
    }
    out_ += suffix;
  }

 private:
  static std::int64_t last_line_length(std::string_view text) {
    const std::size_t newline = text.rfind('\n');
    return static_cast<std::int64_t>(newline == std::string_view::npos ? text.size() : text.size() - newline - 1);
  }

  std::string& out_;
  std::int64_t linewidth_;
  std::int64_t line_length_;
};

template <class Element>
void print(Output& out, const Block<Element>& block, const Printable& values, std::span<const std::string> suffixes,
           const PrintOptions& options) {
  out.text = prefix;
  std::vector<std::string> own_suffixes;
  if (element_count(values.shape) == 0) {
    out.text += "[]";
    own_suffixes = empty_tensor_suffixes<Element>(values.shape);
  } else {
    assert(options.precision >= 0 && options.edgeitems >= 0);
    append_elements(out, block, values, options);
    if (options.edgeitems == 0) {
      own_suffixes = {"size=" + tuple_text(values.shape)};
    }
  }
  SuffixWriter writer(out.text, options.linewidth);
  for (const std::string& suffix : own_suffixes) {
    writer.append(suffix);
  }
  for (const std::string& suffix : suffixes) {
    writer.append(suffix);
  }
  out.text += ')';
}

std::string printed_text(const Printable& values, std::span<const std::string> suffixes, const PrintOptions& options,
                         Cells* cells, const TextSink* sink) {
  Output out{.text = "", .cells = cells, .sink = sink};
  std::visit([&](const auto& block) { print(out, block, values, suffixes, options); }, *values.shown);
  return std::move(out.text);
}

}  // namespace

PrintedTensor print_tensor(const Printable& values, std::span<const std::string> suffixes,
                           const PrintOptions& options) {
  PrintedTensor printed;
  printed.text = printed_text(values, suffixes, options, &printed.cells, nullptr);
  return printed;
}

std::string format_tensor(const Printable& values, std::span<const std::string> suffixes, const PrintOptions& options) {
  return printed_text(values, suffixes, options, nullptr, nullptr);
}

void write_tensor(const TextSink& sink, const Printable& values, std::span<const std::string> suffixes,
                  const PrintOptions& options) {
  sink(printed_text(values, suffixes, options, nullptr, &sink));
}

std::function<std::string(std::int64_t)> element_printer(std::shared_ptr<const Contents> values,
                                                         const PrintOptions& options) {
  return std::visit(
      [&]<class Element>(const Block<Element>& block) -> std::function<std::string(std::int64_t)> {
        const std::vector<ShownItems> axes = shown_items(block.shape(), options);
        Formatter<Element> formatter(View<Element>{block.data(), axes, element_count(block.shape())}, options);
        return [values, formatter, first = block.data()](std::int64_t position) mutable {
          return std::string(formatter.text(first[position]));
        };
      },
      *values);
}

Printable::Printable(const Contents& all)
    : shape(std::visit([](const auto& block) { return block.shape(); }, all)), shown(&all) {}

std::string cell_text(const PrintedTensor& printed, const PrintedCell& cell) {
  return printed.text.substr(cell.offset, cell.size);
}

std::string format_size(const Shape& shape) { return "torch.Size([" + sizes_text(shape) + "])"; }

}  // namespace attn::torch
