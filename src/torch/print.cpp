#include "torch/print.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace attn::torch {
namespace {

constexpr std::string_view prefix = "tensor(";

// ---- What is shown -----------------------------------------------------------------------------

/// The number of items shown at either end of an axis; none where everything is shown.
using EdgeItems = std::optional<std::size_t>;

/// A row-major tensor, or one slice of it along its first axes.
template <class Element>
struct View {
  const Element* data;
  std::span<const std::size_t> shape;
  std::size_t size;

  View slice(std::size_t index) const {
    const std::size_t stride = size / shape.front();
    return {data + index * stride, shape.subspan(1), stride};
  }
};

/// The items of one axis that are shown: [0, head_end), "..." if `cut`, then [tail_begin, size).
struct ShownItems {
  std::size_t head_end;
  std::size_t tail_begin;
  std::size_t size;
  bool cut;
};

ShownItems shown_items(std::size_t size, EdgeItems edge) {
  if (!edge || *edge >= size - size / 2) {
    return {size, size, size, false};
  }
  // PyTorch takes the tail as items[-edge:], which for edge = 0 is everything.
  return {*edge, *edge == 0 ? 0 : size - *edge, size, true};
}

template <class OnItem, class OnDots>
void for_each_item(const ShownItems& items, OnItem on_item, OnDots on_dots) {
  for (std::size_t i = 0; i < items.head_end; ++i) {
    on_item(i);
  }
  if (items.cut) {
    on_dots();
  }
  for (std::size_t i = items.tail_begin; i < items.size; ++i) {
    on_item(i);
  }
}

template <class Element, class Visit>
void for_each_shown(const View<Element>& view, EdgeItems edge, Visit& visit) {
  if (view.shape.empty()) {
    visit(*view.data);
    return;
  }
  const ShownItems items = shown_items(view.shape.front(), edge);
  if (view.shape.size() == 1) {
    for_each_item(items, [&](std::size_t i) { visit(view.data[i]); }, [] {});
  } else {
    for_each_item(items, [&](std::size_t i) { for_each_shown(view.slice(i), edge, visit); }, [] {});
  }
}

// ---- One element -------------------------------------------------------------------------------

void append_right_aligned(std::string& out, std::string_view text, std::size_t width) {
  out.append(width - std::min(width, text.size()), ' ');
  out += text;
}

/// Writes elements right-aligned in a column whose width the shown elements decide.
template <class Element>
class Formatter;

template <>
class Formatter<bool> {
 public:
  Formatter(const View<bool>& view, EdgeItems edge, const PrintOptions& /*options*/) {
    auto widen = [this](bool value) { width_ = std::max(width_, text(value).size()); };
    for_each_shown(view, edge, widen);
  }

  std::size_t width() const { return width_; }

  void append(std::string& out, bool value) { append_right_aligned(out, text(value), width_); }

 private:
  static std::string_view text(bool value) { return value ? "True" : "False"; }

  std::size_t width_ = 1;
};

template <>
class Formatter<std::int64_t> {
 public:
  Formatter(const View<std::int64_t>& view, EdgeItems edge, const PrintOptions& /*options*/) {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    auto include = [&](std::int64_t value) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    };
    for_each_shown(view, edge, include);
    width_ = std::max(std::to_string(lowest).size(), std::to_string(highest).size());
  }

  std::size_t width() const { return width_; }

  void append(std::string& out, std::int64_t value) {
    char buffer[std::numeric_limits<std::int64_t>::digits10 + 3];
    const char* end = std::to_chars(std::begin(buffer), std::end(buffer), value).ptr;
    append_right_aligned(out, {buffer, static_cast<std::size_t>(end - buffer)}, width_);
  }

 private:
  std::size_t width_ = 1;
};

/// The nonzero finite elements that are shown, as far as they decide the format.
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

  /// PyTorch's rule, in double: magnitudes too far apart, too large, or (fractions) too small.
  bool wants_scientific() const {
    const double largest = std::max(std::abs(lowest), std::abs(highest));
    const double smallest = smallest_magnitude;
    return largest / smallest > 1000.0 || largest > 1.0e8 || (!all_integers && smallest < 1.0e-4);
  }
};

template <>
class Formatter<float> {
 public:
  Formatter(const View<float>& view, EdgeItems edge, const PrintOptions& options)
      : precision_(options.precision),
        buffer_(static_cast<std::size_t>(options.precision) + longest_without_fraction) {
    FloatRange range;
    auto include = [&range](float value) { range.include(value); };
    for_each_shown(view, edge, include);
    if (range.empty()) {
      return;
    }
    notation_ = range.wants_scientific() ? Notation::scientific
                : range.all_integers     ? Notation::integral
                                         : Notation::fixed;
    // In one notation a larger magnitude never has the shorter text.
    width_ = text(range.lowest).size();
    width_ = std::max(width_, text(range.highest).size());
    // PyTorch 1.13 measures the width before it looks at sci_mode.
    if (options.sci_mode == SciMode::on) {
      notation_ = Notation::scientific;
    } else if (options.sci_mode == SciMode::off) {
      notation_ = range.all_integers ? Notation::integral : Notation::fixed;
    }
  }

  std::size_t width() const { return width_; }

  void append(std::string& out, float value) { append_right_aligned(out, text(value), width_); }

 private:
  enum class Notation { integral, fixed, scientific };

  /// Sign, 39 digits of the largest float, point; the exponent of scientific notation is shorter.
  static constexpr std::size_t longest_without_fraction = 48;

  std::string_view text(double value) {
    if (std::isnan(value)) {
      return "nan";
    }
    char* const begin = buffer_.data();
    char* end = write(begin, begin + buffer_.size(), value);
    if (notation_ == Notation::integral && std::isfinite(value)) {
      *end++ = '.';
    }
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  char* write(char* begin, char* end, double value) const {
    using enum std::chars_format;
    switch (notation_) {
      case Notation::integral: return std::to_chars(begin, end, value, fixed, 0).ptr;
      case Notation::fixed: return std::to_chars(begin, end, value, fixed, precision_).ptr;
      case Notation::scientific: break;
    }
    return std::to_chars(begin, end, value, scientific, precision_).ptr;
  }

  int precision_;
  std::vector<char> buffer_;
  Notation notation_ = Notation::integral;
  std::size_t width_ = 1;
};

// ---- A whole tensor ----------------------------------------------------------------------------

/// Writes the nested brackets of one tensor.
template <class Element>
class Writer {
 public:
  Writer(std::string& out, const View<Element>& view, EdgeItems edge, const PrintOptions& options)
      : out_(out), edge_(edge), linewidth_(options.linewidth), formatter_(view, edge, options) {}

  void write(const View<Element>& view, std::size_t indent) {
    switch (view.shape.size()) {
      case 0: formatter_.append(out_, *view.data); break;
      case 1: write_vector(view, indent); break;
      default: write_slices(view, indent);
    }
  }

 private:
  void write_vector(const View<Element>& view, std::size_t indent) {
    const std::string line_break = ",\n" + std::string(indent + 1, ' ');
    const std::size_t per_line = elements_per_line(indent);
    std::size_t written = 0;
    auto separate = [&] {
      if (written > 0) {
        out_ += written % per_line == 0 ? std::string_view(line_break) : ", ";
      }
      ++written;
    };
    auto write_element = [&](std::size_t i) {
      separate();
      formatter_.append(out_, view.data[i]);
    };
    auto write_dots = [&] {
      separate();
      out_ += " ...";
    };
    out_ += '[';
    for_each_item(shown_items(view.shape.front(), edge_), write_element, write_dots);
    out_ += ']';
  }

  void write_slices(const View<Element>& view, std::size_t indent) {
    const std::string between =
        "," + std::string(view.shape.size() - 1, '\n') + std::string(indent + 1, ' ');
    bool first = true;
    auto separate = [&] {
      if (!std::exchange(first, false)) {
        out_ += between;
      }
    };
    auto write_slice = [&](std::size_t i) {
      separate();
      write(view.slice(i), indent + 1);
    };
    auto write_dots = [&] {
      separate();
      out_ += "...";
    };
    out_ += '[';
    for_each_item(shown_items(view.shape.front(), edge_), write_slice, write_dots);
    out_ += ']';
  }

  std::size_t elements_per_line(std::size_t indent) const {
    if (linewidth_ <= static_cast<std::int64_t>(indent)) {
      return 1;
    }
    const std::size_t room = static_cast<std::size_t>(linewidth_) - indent;
    return std::max<std::size_t>(1, room / (formatter_.width() + std::string_view(", ").size()));
  }

  std::string& out_;
  EdgeItems edge_;
  std::int64_t linewidth_;
  Formatter<Element> formatter_;
};

template <class Range>
std::string join(const Range& numbers) {
  std::string text;
  for (const auto number : numbers) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(number);
  }
  return text;
}

void require_printable(const PrintOptions& options, std::size_t rank, bool summarized) {
  if (options.precision < 0) {
    throw std::invalid_argument("precision must be 0 or more, not " +
                                std::to_string(options.precision));
  }
  if (options.edgeitems < 0) {
    throw std::invalid_argument("edgeitems must be 0 or more, not " +
                                std::to_string(options.edgeitems));
  }
  if (options.edgeitems == 0 && summarized && rank > 1) {
    throw std::invalid_argument(
        "edgeitems must be 1 or more to summarise a tensor of two axes or more");
  }
}

template <class Element>
void append_elements(std::string& out, const View<Element>& view, const PrintOptions& options) {
  const bool summarized = static_cast<std::int64_t>(view.size) > options.threshold;
  require_printable(options, view.shape.size(), summarized);
  const EdgeItems edge =
      summarized ? EdgeItems(static_cast<std::size_t>(options.edgeitems)) : std::nullopt;
  Writer<Element>(out, view, edge, options).write(view, prefix.size());
}

/// What "[]" does not tell: any shape but (0,), any dtype but float32.
template <class Element>
std::vector<std::string> empty_tensor_suffixes(const View<Element>& view) {
  std::vector<std::string> suffixes;
  if (view.shape.size() != 1) {
    suffixes.push_back("size=(" + join(view.shape) + ")");
  }
  if constexpr (!std::is_same_v<Element, float>) {
    suffixes.push_back(std::is_same_v<Element, bool> ? "dtype=torch.bool" : "dtype=torch.int64");
  }
  return suffixes;
}

/// Appends suffixes, each on a new line where it would not fit. PyTorch counts the first line (or
/// the line after the last "\n") as two characters longer than it is.
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
    return static_cast<std::int64_t>(
        newline == std::string_view::npos ? text.size() : text.size() - newline - 1);
  }

  std::string& out_;
  std::int64_t linewidth_;
  std::int64_t line_length_;
};

template <class Element>
std::string format_view(const View<Element>& view, std::span<const std::string> suffixes,
                        const PrintOptions& options) {
  std::string out(prefix);
  std::vector<std::string> own_suffixes;
  if (view.size == 0) {
    out += "[]";
    own_suffixes = empty_tensor_suffixes(view);
  } else {
    append_elements(out, view, options);
  }
  SuffixWriter writer(out, options.linewidth);
  for (const std::string& suffix : own_suffixes) {
    writer.append(suffix);
  }
  for (const std::string& suffix : suffixes) {
    writer.append(suffix);
  }
  out += ')';
  return out;
}

}  // namespace

std::string format_tensor(const Contents& values, std::span<const std::string> suffixes,
                          const PrintOptions& options) {
  return std::visit(
      [&](const auto& array) {
        using Element = typename std::decay_t<decltype(array)>::value_type;
        const std::vector<std::size_t> shape(array.shape().begin(), array.shape().end());
        return format_view(View<Element>{array.data(), shape, array.size()}, suffixes, options);
      },
      values);
}

std::string format_size(const Shape& shape) {
  return "torch.Size([" + join(shape) + "])";
}

}  // namespace attn::torch
