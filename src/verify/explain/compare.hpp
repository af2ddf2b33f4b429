#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/read/printed.hpp"
#include "walk/walkthrough.hpp"

namespace attn::verify {

enum class CellVerdict { holds, last_digit, differs };

/// Whether the number, written as the cell is, is the cell's; a cell stands for half a unit of its last digit.
CellVerdict compare_cell(const Cell& cell, double value);

/// The number as the cell writes its own: so many decimals, an exponent, "2.", an integer, True.
std::string in_format_of(const Cell& cell, double value);

/// A cell of the tensor that shows how its numbers are written: the first finite one. Null where there is none.
const Cell* sample_cell(std::span<const Cell> cells);

/// How many cells do not hold.
struct Tally {
  std::int64_t differs = 0;
  std::int64_t last_digit = 0;

  auto operator<=>(const Tally&) const = default;
};

/// What a cell that differs weighs: no step wins with many last digits against one with a single wrong cell.
inline constexpr std::int64_t weight_of_cell = 3;

inline std::int64_t weight(const Tally& found) { return weight_of_cell * found.differs + found.last_digit; }

/// Compares cell by cell; stops, with what it has by then, when more than `most` cells differ.
Tally tally(std::span<const Cell> cells, std::span<const double> values, std::int64_t most);

/// A step's numbers, row-major.
struct Numbers {
  Shape shape;
  DType dtype = DType::float32;
  std::vector<double> values;
};

Numbers numbers_of(const Tensor& tensor);

/// Whether both print True and False, or both do not.
bool same_kind(const Printed& printed, const Numbers& numbers);

/// Whether the cells fill the printed shape.
bool is_regular(const Printed& printed);

/// Whether the step's shape is the one that is printed, as far as "..." shows it.
bool same_shape(const Printed& printed, const Shape& shape);

/// Whether the tensor is printed with "...".
bool has_gap(const Printed& printed);

/// The step's numbers that stand where the printed cells do. The shapes must be the same.
std::vector<double> shown_values(const Printed& printed, const Numbers& numbers);

/// A tensor's text without what pages lose: blank lines, trailing spaces, and the 3 or 4 of SqueezeBackward.
std::string plain_layout(std::string_view text);

/// What is different between two plain layouts of the same numbers: "spacing".
std::string layout_difference(const Printed& printed, const std::string& page, const std::string& step);

/// The index of an element; counts on along the first axis beyond the last one.
Shape index_of(std::int64_t position, const Shape& shape);

/// Labels that mean the same are equal: without case, colons and line breaks.
std::string plain_label(std::string_view label);

}  // namespace attn::verify
