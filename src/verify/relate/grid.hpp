#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/array.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// A number that is known up to rounding.
struct Interval {
  double low = 0;
  double high = 0;

  double middle() const { return low == high ? low : (low + high) / 2; }
  double radius() const { return low == high ? 0 : (high - low) / 2; }
};

/// A tensor whose numbers are known up to rounding, row-major.
struct Grid {
  Shape shape;
  std::vector<Interval> cells;

  std::int64_t size(std::size_t axis) const { return shape[axis]; }
  std::size_t rank() const { return shape.size(); }
};

/// A position as the standard library counts.
inline std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

/// What a printed tensor says of its numbers; empty for one that is printed with "..." or in rows of different
/// lengths. True is 1.
std::optional<Grid> grid_of(const Printed& printed);

/// Half a unit of the last printed digit; 0 where the number is exact.
Interval interval_of(const Cell& cell);

/// What float32 arithmetic may move a number of this size by.
double slack(double value);

/// Whether two numbers may be one: the intervals meet, with the slack of arithmetic.
bool meet(const Interval& a, const Interval& b);

// ---- Views: the same cells at other places ------------------------------------------------------

/// With two axes swapped.
Grid transposed(const Grid& x, std::size_t axis_0, std::size_t axis_1);
/// Items [begin, begin + count) of an axis.
Grid sliced(const Grid& x, std::size_t axis, std::int64_t begin, std::int64_t count);
/// One item of an axis, which is gone from the result.
Grid item(const Grid& x, std::size_t axis, std::int64_t i);
/// The same cells in another shape of as many.
Grid reshaped(const Grid& x, const Shape& shape);

}  // namespace attn::verify
