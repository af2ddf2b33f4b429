#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "verify/page/printed.hpp"

namespace attn::verify {

/// The cell for a word of a row, with the unit of its last visible digit. "0.18Z6", a damaged number, is a cell of
/// value NaN; a program's word, such as `x`, is not a cell.
std::optional<Cell> parse_cell(std::string_view word);

/// Returns true for True and False.
bool is_truth(const Cell& cell);

/// The length of the word at a text's start that may be a cell. In "0.1385-0.2379", which lost a comma, it ends before
/// the second sign.
std::size_t cell_length(std::string_view text);

/// Sets each cell's unit. If zeros are dropped at the ends of numbers, as all but PyTorch do, they have the same number
/// of decimals or, as MLX's, of significant digits. The cells come from parse_cell.
void set_units(std::span<Cell> cells, bool drop_zeros);

/// Moves through a page and skips what stands within a printed tensor without belonging to it: spaces, line ends,
/// margins, and code fences where a page breaks.
struct Cursor {
  /// A cursor for something that begins after `line`, the text before it on its line: its margin is that of the
  /// following lines too.
  Cursor(std::string_view page, std::size_t at, std::string_view line);

  bool at_end() const { return at >= page.size(); }
  char peek() const { return at_end() ? '\0' : page[at]; }
  std::string_view rest() const { return page.substr(at); }
  /// Moves to the next thing that may belong to the tensor. Returns true if it is on another line.
  bool skip();

  std::string_view page;
  std::size_t at;
  std::string_view margin = "";  ///< characters of a quotation's, a table's or a comment's margin
};

/// A tensor's nested lists as printed.
struct Rows {
  Printed printed;    ///< what the lists determine
  bool sound = true;  ///< all brackets are present, commas are everywhere or nowhere, and nothing else is there
  bool has_commas = false;
  bool has_blanks = false;  ///< only blanks separate numbers
};

/// Reads the lists from the cursor's [ to the last bracket or number, even if brackets or commas are missing. Empty if
/// they are part of a program, or have no numbers or too many axes; the cursor is then at what was not expected.
std::optional<Rows> read_rows(Cursor& cursor);

}  // namespace attn::verify
