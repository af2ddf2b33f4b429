#pragma once

#include <optional>
#include <string_view>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// The cell for a word of a row. "0.18Z6", a damaged number, is a cell of value NaN; a program's word, such as `x`, is
/// not a cell.
std::optional<Cell> parse_cell(std::string_view word);

/// Returns true for True and False.
bool is_truth(const Cell& cell);

/// The length of the word at a text's start that may be a cell. In "0.1385-0.2379", which lost a comma, it ends before
/// the second sign.
std::size_t cell_length(std::string_view text);

}  // namespace attn::verify
