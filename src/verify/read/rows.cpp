#include "verify/read/rows.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "text/ascii.hpp"
#include "verify/read/cell.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_axes = 16;
constexpr std::int64_t unknown = -1;

/// Returns true for characters that can follow a number only in a program.
bool is_code(char c) {
  constexpr std::string_view signs = "_*+-/%@(=:'\"#";
  return text::is_letter(c) || signs.find(c) != std::string_view::npos;
}

/// The length of "np.float32(" at a text's start, which recent numpy versions print before a number in a list; 0
/// elsewhere.
std::size_t scalar_type_length(std::string_view text) {
  if (!text.starts_with('n')) {
    return 0;
  }
  for (const std::string_view type : {"np.float32(", "np.float64("}) {
    if (text.starts_with(type)) {
      return type.size();
    }
  }
  return 0;
}

/// One axis of the current list.
struct Axis {
  std::int64_t items = 0;       ///< number of items in the open list
  std::int64_t size = unknown;  ///< size of the first closed list
  std::int64_t before_gap = unknown;
};

class RowsReader {
 public:
  explicit RowsReader(Cursor& cursor) : cursor_(cursor) {}

  std::optional<Rows> read() {
    while (step()) {
    }
    if (code_ || too_deep_) {
      return std::nullopt;
    }
    const bool closed = depth_ == 0;
    while (depth_ > 0) {
      close();
    }
    if (printed_.cells.empty() && (gap_ || !closed)) {
      return std::nullopt;
    }
    const std::size_t rank = printed_.cells.empty() ? deepest_ : rank_;
    for (std::size_t i = 0; i < rank; ++i) {
      printed_.shape.push_back(std::max<std::int64_t>(axes_[i].size, 0));
      printed_.shown_before_gap.push_back(axes_[i].before_gap);
    }
    printed_.is_bool = !printed_.cells.empty() && is_truth(printed_.cells.front());
    rows_.sound = rows_.sound && closed && !(rows_.has_commas && rows_.has_blanks);
    return std::move(rows_);
  }

 private:
  /// Reads one item; false at the end of the lists.
  bool step() {
    const bool new_line = cursor_.skip();
    switch (cursor_.peek()) {
      case '[': return open();
      case ']':
        take(1);
        close();
        return depth_ > 0;
      case ',':
        rows_.has_commas = true;
        after_number_ = false;
        cursor_.advance(1);
        return true;
      case ')':
      case '\0': return false;
      default: break;
    }
    return cursor_.rest().starts_with("...") ? gap() : word(new_line);
  }

  void take(std::size_t bytes) {
    cursor_.advance(bytes);
    rows_.end = cursor_.at();
  }

  bool open() {
    too_deep_ = depth_ == most_axes;
    if (too_deep_) {
      return false;
    }
    if (depth_ > 0) {
      ++axes_[depth_ - 1].items;
    }
    axes_[depth_++].items = 0;
    deepest_ = std::max(deepest_, depth_);
    printed_.ragged = printed_.ragged || (!printed_.cells.empty() && depth_ > rank_);
    take(1);
    after_number_ = false;
    return true;
  }

  void close() {
    after_number_ = false;
    Axis& axis = axes_[--depth_];
    if (axis.size == unknown) {
      axis.size = axis.items;
    }
    printed_.ragged = printed_.ragged || axis.size != axis.items;
  }

  bool gap() {
    Axis& axis = axes_[depth_ - 1];
    printed_.ragged = printed_.ragged || (axis.before_gap != unknown && axis.before_gap != axis.items);
    axis.before_gap = axis.before_gap == unknown ? axis.items : axis.before_gap;
    gap_ = true;
    while (cursor_.peek() == '.') {
      take(1);
    }
    return true;
  }

  bool word(bool new_line) {
    const std::size_t type = scalar_type_length(cursor_.rest());
    const std::string_view typed = cursor_.rest().substr(type);
    const std::size_t size = cell_length(typed);
    if (type == 0 || !parse_cell(typed.substr(0, size)) || !typed.substr(size).starts_with(')')) {
      return number(new_line);
    }
    cursor_.advance(type);
    number(new_line);
    take(1);
    return true;
  }

  bool number(bool new_line) {
    if (cursor_.rest().size() > 1 && cursor_.peek() == '*' && cell_length(cursor_.rest().substr(1)) > 0) {
      cursor_.advance(1);  // --what-if marks the numbers that change
      rows_.sound = false;
    }
    const std::string_view text = cursor_.rest().substr(0, cell_length(cursor_.rest()));
    const std::optional<Cell> cell = parse_cell(text);
    if (!cell) {
      return noise(new_line);
    }
    if (printed_.cells.empty()) {
      rank_ = depth_;
      printed_.ragged = deepest_ > rank_;
    }
    printed_.ragged = printed_.ragged || depth_ != rank_;
    ++axes_[depth_ - 1].items;
    make_room();
    printed_.cells.push_back(*cell);
    rows_.has_blanks = rows_.has_blanks || after_number_;
    after_number_ = true;
    take(text.size());
    return true;
  }

  /// Counts the words up to a long tensor's end, because growing step by step would take twice the memory.
  void make_room() {
    constexpr std::size_t long_tensor = 1U << 16U;
    if (printed_.cells.size() < printed_.cells.capacity() || printed_.cells.size() < long_tensor) {
      return;
    }
    std::size_t words = 0;
    bool in_word = false;
    for (const char c : cursor_.rest().substr(0, cursor_.rest().find(')'))) {
      const bool part = text::is_digit(c) || text::is_letter(c) || c == '.';
      words += part && !in_word ? 1U : 0U;
      in_word = part;
    }
    printed_.cells.reserve(printed_.cells.size() + std::max(words, printed_.cells.size() / 8));
  }

  /// Handles something that is not part of a tensor. On its own line it ends an incomplete tensor.
  bool noise(bool new_line) {
    rows_.sound = false;
    if (new_line) {
      return false;
    }
    code_ = is_code(cursor_.peek());
    cursor_.advance(1);
    return !code_;
  }

  Cursor& cursor_;
  Rows rows_;
  Printed& printed_ = rows_.printed;
  std::array<Axis, most_axes> axes_;
  std::size_t depth_ = 0;
  std::size_t deepest_ = 0;
  std::size_t rank_ = 0;       ///< depth of the first number
  bool after_number_ = false;  ///< only blanks follow the last number
  bool gap_ = false;
  bool code_ = false;
  bool too_deep_ = false;
};

}  // namespace

std::optional<Rows> read_rows(Cursor& cursor) { return RowsReader(cursor).read(); }

}  // namespace attn::verify
