#include "verify/read/lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "text/ascii.hpp"
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

/// Returns true if a program's call begins in the text and continues after it.
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

bool has_decimals(const Cell& cell, std::size_t least) {
  const std::size_t point = cell.text.find('.');
  return point != npos && cell.text.size() > point + least && std::isfinite(cell.value);
}

bool is_float(const Cell& cell) { return cell.text.find_first_of(".e") != npos; }

bool is_no_number(const Cell& cell) { return std::isnan(cell.value) && text::lower(cell.text.back()) != 'n'; }

/// Returns true if the numbers, without commas, may be an array in numpy's str() notation: floats, whole numbers or
/// bools.
bool looks_like_array(const Printed& printed) {
  const auto all_cells = [&](auto condition) { return std::ranges::all_of(printed.cells, condition); };
  const bool floats = all_cells([](const Cell& cell) { return cell.unit == 0 || is_float(cell); });
  const bool wholes = all_cells([](const Cell& cell) { return cell.unit == 1 && !is_float(cell); });
  const std::size_t least = printed.shape.size() > 1 || (floats && !all_cells(is_truth)) ? 2 : 3;
  return (floats || wholes) && printed.cells.size() >= least;
}

/// Returns true if the numbers, separated by commas, may be a tensor's, not a size, ids or an interval.
bool looks_like_list(const Printed& printed, bool alone) {
  const auto all_cells = [&](auto condition) { return std::ranges::all_of(printed.cells, condition); };
  const auto decimals = [&](std::size_t least) {
    return std::ranges::any_of(printed.cells, [&](const Cell& cell) { return has_decimals(cell, least); });
  };
  if (printed.shape.size() == 1 && printed.cells.size() < 3) {
    return printed.cells.size() == 2 && alone && decimals(3);
  }
  const bool floats = all_cells([](const Cell& cell) { return cell.unit == 0 || is_float(cell); });
  const bool mask = all_cells([](const Cell& cell) { return cell.value == 0 || cell.value == 1; });
  return decimals(0) ? floats : mask && printed.shape.size() > 1 && printed.cells.size() > 3;
}

/// Returns true if the text after a list on its line does not continue an expression.
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
  std::optional<Rows> rows = read_rows(cursor);
  if (!rows) {
    return std::nullopt;
  }
  cursor.go_back(rows->end);
  if (!rows->sound) {
    return std::nullopt;
  }
  Printed& printed = rows->printed;
  const std::string_view after = page.substr(cursor.at(), longest_rest);
  const std::string_view line = after.substr(0, after.find('\n'));
  const bool is_damaged = printed.cells.empty() || printed.ragged || std::ranges::any_of(printed.cells, is_no_number);
  if (!in_output || !ends_list(line) || is_damaged) {
    return std::nullopt;
  }
  const bool alone = line.find_first_not_of(" \t,)|`.") == npos;
  const bool is_numpys = !rows->has_commas && (rows->has_blanks || printed.shape.size() > 1);
  if (is_numpys ? !looks_like_array(printed) : !looks_like_list(printed, alone)) {
    return std::nullopt;
  }
  printed.text = page.substr(begin, cursor.at() - begin);
  set_units(printed.cells, NumberStyle::trimmed);
  return std::move(printed);
}

}  // namespace attn::verify
