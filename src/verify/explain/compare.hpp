#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "verify/explain/numbers.hpp"
#include "verify/explain/tally.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Compares the number, in the cell's format, with the cell; a cell is accurate to half a unit of its last digit.
CellVerdict compare_cell(const Cell& cell, double value);

/// Compares cell by cell; stops with the result so far when more than `most` cells differ.
Tally compare(std::span<const Cell> cells, std::span<const double> values, std::int64_t most);

/// Compares all printed cells of a tensor with numbers of the same shape.
Tally compare(const Printed& printed, const Numbers& numbers, std::int64_t most);

/// The number in the cell's format: its number of decimals, an exponent, "2.", an integer, True.
std::string in_format_of(const Cell& cell, double value);

/// A cell that shows the format of the tensor's numbers: the first finite one. Null if there is none.
const Cell* sample_cell(std::span<const Cell> cells);

}  // namespace attn::verify
