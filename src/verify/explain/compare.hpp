#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "verify/explain/numbers.hpp"
#include "verify/explain/tally.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Whether the number, written as the cell is, is the cell's; a cell stands for half a unit of its last digit.
CellVerdict compare_cell(const Cell& cell, double value);

/// Compares cell by cell; stops, with what it has by then, when more than `most` cells differ.
Tally compare(std::span<const Cell> cells, std::span<const double> values, std::int64_t most);

/// The same for all that is printed of a tensor of the same shape.
Tally compare(const Printed& printed, const Numbers& numbers, std::int64_t most);

/// The number as the cell writes its own: so many decimals, an exponent, "2.", an integer, True.
std::string in_format_of(const Cell& cell, double value);

/// A cell of the tensor that shows how its numbers are written: the first finite one. Null where there is none.
const Cell* sample_cell(std::span<const Cell> cells);

}  // namespace attn::verify
