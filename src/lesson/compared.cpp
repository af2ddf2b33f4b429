#include "lesson/compared.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <utility>
#include <variant>

#include "text/columns.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

/// Also tells 0 from -0, which print differently.
bool same(float a, float b) { return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b); }
template <class T>
bool same(T a, T b) {
  return a == b;
}

}  // namespace

std::vector<bool> differences(const Contents& a, const Contents& b) {
  return std::visit(
      [&b]<class T>(const Block<T>& values) {
        const auto& others = std::get<Block<T>>(b);
        std::vector<bool> differ(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          differ[i] = !same(values.data()[i], others.data()[i]);
        }
        return differ;
      },
      a);
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return false;
  }
  const auto differ = differences(*a.array().contents(), *b.array().contents());
  return std::find(differ.begin(), differ.end(), true) == differ.end();
}

std::string_view likeness(const Step& as_is, const Step& changed, TextOptions options) {
  constexpr std::string_view same_as_before = "same as before";
  switch (as_is.kind) {
    case Step::Kind::tensor:
      if (same_numbers(*as_is.tensor, *changed.tensor)) {
        return same_as_before;
      }
      options.show_grad = false;
      return step_text(as_is, options) == step_text(changed, options) ? "same as before in all printed digits" : "";
    case Step::Kind::size: return as_is.tensor->shape() == changed.tensor->shape() ? same_as_before : "";
    case Step::Kind::text: break;
  }
  return as_is.text == changed.text ? same_as_before : "";
}

std::string_view likeness(const StepPair& pair, const TextOptions& options) {
  const bool are_both = pair.as_is != nullptr && pair.changed != nullptr;
  return are_both ? likeness(*pair.as_is, *pair.changed, options) : "";
}

std::vector<Compared> compared_steps(std::span<const Step> as_is, std::span<const Step> changed,
                                     const TextOptions& options) {
  std::vector<Compared> all;
  for (const StepPair& pair : pairs_of(as_is, changed)) {
    const Step& step = pair.as_is != nullptr ? *pair.as_is : *pair.changed;
    const std::string_view alike = likeness(pair, options);
    if (alike.empty()) {
      all.push_back({step.section, alike, {}, pair});
      continue;
    }
    if (all.empty() || all.back().likeness != alike || all.back().section != step.section) {
      all.push_back({step.section, alike, {}, {nullptr, nullptr}});
    }
    std::vector<std::string>& names = all.back().names;
    const std::string name = step.name + (step.kind == Step::Kind::size ? ".shape" : "");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return all;
}

std::string marked_text(const Step& as_is, const Step& changed, const TextOptions& options) {
  const torch::PrintedTensor before = printed_step(as_is, options);
  const torch::PrintedTensor after = printed_step(changed, options);
  if (changed.kind != Step::Kind::tensor || as_is.tensor->shape() != changed.tensor->shape() ||
      as_is.tensor->dtype() != changed.tensor->dtype()) {
    return after.text;
  }
  const std::vector<bool> differ = differences(*as_is.tensor->array().contents(), *changed.tensor->array().contents());
  std::string text;
  text.reserve(after.text.size() + after.cells.size());
  std::size_t done = 0;
  for (std::size_t k = 0; k < after.cells.size(); ++k) {
    const torch::PrintedCell& cell = after.cells[k];
    const bool is_marked = differ[static_cast<std::size_t>(cell.position)] &&
                           torch::cell_text(after, cell) != torch::cell_text(before, before.cells[k]);
    text.append(after.text, done, cell.offset - done) += is_marked ? '*' : ' ';
    done = cell.offset;
  }
  return text.append(after.text, done);
}

// ---- Side by side ----------------------------------------------------------------------------------

namespace {

constexpr std::string_view bar = " | ";
constexpr auto bar_columns = static_cast<std::int64_t>(bar.size());

std::int64_t width_of(const std::vector<std::string>& lines) {
  std::int64_t widest = 0;
  for (const std::string& line : lines) {
    widest = std::max(widest, text::display_columns(line));
  }
  return widest;
}

struct Widths {
  std::int64_t left;
  std::int64_t right;
};

struct Halves {
  std::vector<std::string> left;
  std::vector<std::string> right;

  Widths widths() const { return {width_of(left), width_of(right)}; }
};

Halves halves_of(const StepPair& pair, const TextOptions& options) {
  const auto lines_of = [&](const Step& step) { return text::lines_of(step_text(step, options)); };
  if (pair.changed == nullptr) {
    return {lines_of(*pair.as_is), {"# no " + pair.as_is->name + " here"}};
  }
  if (pair.as_is == nullptr) {
    return {{"# no " + pair.changed->name + " here"}, lines_of(*pair.changed)};
  }
  return {lines_of(*pair.as_is), text::lines_of(marked_text(*pair.as_is, *pair.changed, options))};
}

/// Writes the halves beside each other, or below if they do not fit.
void write_halves(std::ostream& out, const Halves& halves, std::int64_t left_width, std::int64_t width) {
  const Widths widths = halves.widths();
  if (widths.left > left_width || left_width + bar_columns + widths.right > width) {
    for (const auto& [heading, lines] :
         {std::pair("# original", &halves.left), std::pair("# changed", &halves.right)}) {
      out << heading << '\n';
      for (const std::string& line : *lines) {
        out << line << '\n';
      }
    }
    return;
  }
  const auto line_of = [](const std::vector<std::string>& lines, std::size_t i) {
    return i < lines.size() ? lines[i] : "";
  };
  for (std::size_t i = 0; i < std::max(halves.left.size(), halves.right.size()); ++i) {
    const std::string line =
        text::left_aligned(line_of(halves.left, i), left_width) + std::string(bar) + line_of(halves.right, i);
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

/// The left column's width: that of the widest block whose other half still fits; 0 if none fits.
std::int64_t left_width(const std::vector<Widths>& blocks, std::int64_t width) {
  Widths most = {0, 0};
  for (const Widths& block : blocks) {
    const Widths more = {std::max(most.left, block.left), std::max(most.right, block.right)};
    most = more.left + bar_columns + more.right <= width ? more : most;
  }
  return most.left;
}

}  // namespace

void write_side_by_side(std::ostream& out, std::span<const Step> as_is, std::span<const Step> changed,
                        const std::string& sentence, const TextOptions& options, std::int64_t width) {
  const std::vector<Compared> all = compared_steps(as_is, changed, options);
  const Halves heading = {{"# original"}, {"# changed"}};
  std::vector<Widths> different = {heading.widths()};  // the blocks may be large: each is made again for writing
  for (const Compared& one : all) {
    if (one.likeness.empty()) {
      different.push_back(halves_of(one.pair, options).widths());
    }
  }
  out << "# " << sentence << '\n';
  const std::int64_t left = left_width(different, width);
  if (different.size() > 1 && left > different[0].left) {
    write_halves(out, heading, left, width);
  }
  std::string section;
  for (const Compared& one : all) {
    if (one.section != section) {
      section = one.section;
      out << "# " << section << '\n';
    }
    if (one.likeness.empty()) {
      write_halves(out, halves_of(one.pair, options), left, width);
    } else {
      out << "# " << text::joined(one.names) << ": " << one.likeness << '\n';
    }
  }
}

}  // namespace attn::render
