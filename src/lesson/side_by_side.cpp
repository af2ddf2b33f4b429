#include "lesson/side_by_side.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

#include "lesson/compared.hpp"
#include "lesson/printed.hpp"
#include "text/columns.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

constexpr std::string_view bar = " | ";

using BlockLines = std::vector<std::string>;

std::size_t width_of(std::string_view line) { return static_cast<std::size_t>(text::display_columns(line)); }

std::size_t width_of(const BlockLines& lines) {
  std::size_t widest = 0;
  for (const std::string& line : lines) {
    widest = std::max(widest, width_of(line));
  }
  return widest;
}

// --- Columns ---------------------------------------------------------------------------------------------------

struct Halves {
  BlockLines left;
  BlockLines right;
};

BlockLines lines_of(const Step& step, const TextOptions& options) { return text::lines_of(step_text(step, options)); }

Halves block_of(const StepPair& pair, const TextOptions& options) {
  if (pair.changed == nullptr) {
    return {lines_of(*pair.as_is, options), {"# no " + pair.as_is->name + " here"}};
  }
  if (pair.as_is == nullptr) {
    return {{"# no " + pair.changed->name + " here"}, lines_of(*pair.changed, options)};
  }
  return {lines_of(*pair.as_is, options), text::lines_of(marked_text(*pair.as_is, *pair.changed, options))};
}

struct Widths {
  std::size_t left;
  std::size_t right;
};

Widths widths_of(const Halves& block) { return {width_of(block.left), width_of(block.right)}; }

class Columns {
 public:
  Columns(std::ostream& out, std::size_t left, std::size_t width) : out_(out), left_(left), width_(width) {}

  void write(const Halves& block) {
    const Widths widths = widths_of(block);
    const bool fits = widths.left <= left_ && left_ + bar.size() + widths.right <= width_;
    if (!fits) {
      write_below(block);
      return;
    }
    for (std::size_t i = 0; i < std::max(block.left.size(), block.right.size()); ++i) {
      const std::string left = i < block.left.size() ? block.left[i] : "";
      const std::string right = i < block.right.size() ? block.right[i] : "";
      const std::string line = left + std::string(left_ - width_of(left), ' ') + std::string(bar) + right;
      out_ << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
    }
  }

 private:
  void write_below(const Halves& block) {
    out_ << "# original\n";
    for (const std::string& line : block.left) {
      out_ << line << '\n';
    }
    out_ << "# changed\n";
    for (const std::string& line : block.right) {
      out_ << line << '\n';
    }
  }

  std::ostream& out_;
  std::size_t left_;
  std::size_t width_;
};

/// The left column's width: that of the widest block whose other half still fits; 0 if none fits.
std::size_t left_width(const std::vector<Widths>& blocks, std::size_t width) {
  std::size_t left = 0;
  std::size_t right = 0;
  for (const Widths& block : blocks) {
    const std::size_t new_left = std::max(left, block.left);
    const std::size_t new_right = std::max(right, block.right);
    if (new_left + bar.size() + new_right <= width) {
      left = new_left;
      right = new_right;
    }
  }
  return left;
}

}  // namespace

void write_side_by_side(std::ostream& out, std::span<const Step> as_is, std::span<const Step> changed,
                        const std::string& sentence, const TextOptions& options, std::int64_t width) {
  const std::vector<Compared> all = compared_steps(as_is, changed, options);
  const Halves heading = {{"# original"}, {"# changed"}};
  std::vector<Widths> different = {widths_of(heading)};  // the blocks may be large: each is made again for writing
  for (const Compared& one : all) {
    if (one.likeness.empty()) {
      different.push_back(widths_of(block_of(one.pair, options)));
    }
  }
  out << "# " << sentence << '\n';
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(0, width));
  Columns columns(out, left_width(different, room), room);
  if (different.size() > 1 && left_width(different, room) > different[0].left) {
    columns.write(heading);
  }
  std::string section;
  for (const Compared& one : all) {
    if (one.section != section) {
      section = one.section;
      out << "# " << section << '\n';
    }
    if (one.likeness.empty()) {
      columns.write(block_of(one.pair, options));
    } else {
      out << "# " << text::joined(one.names) << ": " << one.likeness << '\n';
    }
  }
}

}  // namespace attn::render
