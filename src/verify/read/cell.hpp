#pragma once

#include <optional>
#include <string_view>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// The cell that a word of a row is. "0.18Z6", a number that somebody damaged, is a cell of value NaN; a word of a
/// program, such as `x`, is none.
std::optional<Cell> parse_cell(std::string_view word);

/// Whether it is True or False.
bool is_truth(const Cell& cell);

/// The length of the word that may be a cell at a text's start. In "0.1385-0.2379", where a comma is lost, it ends
/// before the second sign.
std::size_t cell_length(std::string_view text);

}  // namespace attn::verify
