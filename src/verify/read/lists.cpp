#include "verify/read/lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "text/ascii.hpp"
#include "verify/read/candle.hpp"
#include "verify/read/cell.hpp"
#include "verify/read/number_style.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/rows.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_rest = 128;

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ') ? 1U : 0U;
  }
  return words;
}

/// Whether a call of a program begins in the text and goes on behind it.
bool in_call(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    depth += text[i] == ')' ? 1U : 0U;
    if (text[i] == '(' && depth-- == 0) {
      return i > 0 && is_name_part(text[i - 1]);
    }
  }
  return false;
}

/// How a list's text is made, which its numbers do not tell.
struct Layout {
  bool sound = false;  ///< every bracket is there, commas are everywhere or nowhere, and nothing else
  bool has_commas = false;
  bool has_blanks = false;  ///< and nothing else between numbers
};

class LayoutReader {
 public:
  LayoutReader(Cursor cursor, std::size_t end) : cursor_(cursor), end_(end) {}

  Layout read() {
    layout_.sound = true;
    while (layout_.sound && cursor_.at() < end_) {
      cursor_.skip();
      if (cursor_.at() < end_) {
        step();
      }
    }
    const bool one_manner = !layout_.has_commas || !layout_.has_blanks;
    layout_.sound = layout_.sound && depth_ == 0 && one_manner;
    return layout_;
  }

 private:
  void step() {
    const char c = cursor_.peek();
    const std::size_t type = scalar_type_length(cursor_.rest());
    if (c == '[' || c == ']') {
      layout_.sound = c == '[' || depth_ > 0;
      depth_ += c == '[' ? 1 : -1;
      after_number_ = false;
      cursor_.advance(1);
    } else if (c == ',') {
      layout_.has_commas = true;
      after_number_ = false;
      cursor_.advance(1);
    } else if (cursor_.rest().starts_with("...")) {
      cursor_.advance(3);
    } else {
      number(type);
    }
  }

  void number(std::size_t type) {
    cursor_.advance(type);
    const std::string_view word = cursor_.rest().substr(0, cell_length(cursor_.rest()));
    cursor_.advance(word.size());
    const bool closed = type == 0 || cursor_.peek() == ')';
    layout_.sound = !word.empty() && closed;
    cursor_.advance(type > 0 && closed ? 1 : 0);
    layout_.has_blanks = layout_.has_blanks || after_number_;
    after_number_ = true;
  }

  Cursor cursor_;
  std::size_t end_;
  Layout layout_;
  std::int64_t depth_ = 0;
  bool after_number_ = false;
};

bool has_decimals(const Cell& cell, std::size_t least) {
  const std::size_t point = cell.text.find('.');
  return point != npos && cell.text.size() > point + least && std::isfinite(cell.value);
}

bool is_float(const Cell& cell) { return cell.text.find_first_of(".e") != npos; }

bool is_damaged(const Cell& cell) { return std::isnan(cell.value) && text::lower(cell.text.back()) != 'n'; }

/// Whether the numbers, without commas, can be an array as numpy's str() writes it: floats, whole numbers or truths.
bool looks_like_array(const Rows& rows) {
  const auto all_cells = [&](auto condition) { return std::ranges::all_of(rows.cells, condition); };
  const bool floats = all_cells([](const Cell& cell) { return cell.unit == 0 || is_float(cell); });
  const bool wholes = all_cells([](const Cell& cell) { return cell.unit == 1 && !is_float(cell); });
  const std::size_t least = rows.shape.size() > 1 || (floats && !all_cells(is_truth)) ? 2 : 3;
  return (floats || wholes) && rows.cells.size() >= least;
}

/// Without commas.
bool is_numpys(const Rows& rows, const Layout& layout) {
  return !layout.has_commas && (layout.has_blanks || rows.shape.size() > 1);
}

/// Whether the numbers can be a tensor's, and not a size, ids or an interval.
bool looks_like_tensor(const Rows& rows, bool alone, const Layout& layout) {
  const auto all_cells = [&](auto condition) { return std::ranges::all_of(rows.cells, condition); };
  const auto decimals = [&](std::size_t least) {
    return std::ranges::any_of(rows.cells, [&](const Cell& cell) { return has_decimals(cell, least); });
  };
  if (rows.cells.empty() || rows.ragged || std::ranges::any_of(rows.cells, is_damaged)) {
    return false;
  }
  if (is_numpys(rows, layout)) {
    return looks_like_array(rows);
  }
  if (rows.shape.size() == 1 && rows.cells.size() < 3) {
    return rows.cells.size() == 2 && alone && decimals(3);
  }
  const bool floats = all_cells([](const Cell& cell) { return cell.unit == 0 || is_float(cell); });
  const bool mask = all_cells([](const Cell& cell) { return cell.value == 0 || cell.value == 1; });
  return decimals(0) ? floats : mask && rows.shape.size() > 1 && rows.cells.size() > 3;
}

/// Whether what follows a list on its line belongs to no expression.
bool ends_list(std::string_view after) {
  if (after.empty()) {
    return true;
  }
  constexpr std::string_view ends = ",);}|`'\"";
  const std::size_t next = after.find_first_not_of(" \t");
  const bool blank = after.front() == ' ' || after.front() == '\t' || after.front() == '\n';
  constexpr std::string_view goes_on = "*/+-%@=<[(#";
  return ends.find(after.front()) != npos ||
         (blank && (next == npos || goes_on.find(after[next]) == npos || after.substr(next).starts_with("<-")));
}

Printed printed_of(Rows rows, std::string_view page, std::size_t begin, std::size_t end) {
  Printed printed;
  printed.shape = std::move(rows.shape);
  printed.cells = std::move(rows.cells);
  printed.shown_before_gap = std::move(rows.shown_before_gap);
  printed.ragged = rows.ragged;
  printed.is_bool = !printed.cells.empty() && is_truth(printed.cells.front());
  printed.text = page.substr(begin, end - begin);
  return printed;
}

}  // namespace

bool may_begin_list(std::string_view before, Zone zone) {
  constexpr std::string_view glued = "_)]}\"'.@$\\!&^/?%~+*;-";
  if (!before.empty() && (is_name_part(before.back()) || glued.find(before.back()) != npos)) {
    return false;
  }
  if (before.ends_with('(')) {
    return before.size() < 2 || !is_name_part(before[before.size() - 2]);
  }
  const std::string_view words = without_trailing(before, " \t([");
  if (words.ends_with("\":") || words.ends_with("==")) {
    return false;
  }
  if (zone != Zone::output && (words.ends_with('=') || in_call(words))) {
    return false;
  }
  constexpr std::string_view introduces = ":=>|,-";
  constexpr std::size_t most_words = 6;
  return words.empty() || introduces.find(words.back()) != npos || count_words(words) <= most_words;
}

std::optional<Printed> read_list(std::string_view page, std::size_t begin, Cursor& cursor, bool in_output) {
  const Cursor start = cursor;
  std::optional<Rows> rows = read_rows(cursor);
  if (!rows) {
    return std::nullopt;
  }
  cursor.go_back(rows->end);
  const Layout layout = LayoutReader(start, rows->end).read();
  if (!layout.sound) {
    return std::nullopt;
  }
  if (const std::optional<Shape> declared = read_candle_type(cursor)) {
    Printed printed = printed_of(std::move(*rows), page, begin, cursor.at());
    set_candle_shape(printed, *declared);
    return printed;
  }
  const std::string_view after = page.substr(cursor.at(), longest_rest);
  const std::string_view line = after.substr(0, after.find('\n'));
  const bool alone = line.find_first_not_of(" \t,)|`.") == npos;
  if (!in_output || !ends_list(line) || !looks_like_tensor(*rows, alone, layout)) {
    return std::nullopt;
  }
  const bool numpys = is_numpys(*rows, layout);
  Printed printed = printed_of(std::move(*rows), page, begin, cursor.at());
  printed.is_numpys = numpys;
  set_units(printed.cells, NumberStyle::trimmed);
  return printed;
}

}  // namespace attn::verify
