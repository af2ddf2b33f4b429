#include "verify/relate/grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attn::verify {
Interval interval_of(const Cell& cell) {
  const double half = radius(cell);
  return {cell.value - half, cell.value + half};
}

std::optional<Grid> grid_of(const Printed& printed) {
  if (is_size(printed) || printed.ragged || has_gap(printed) || !is_regular(printed) || printed.cells.empty()) {
    return std::nullopt;
  }
  Grid grid{printed.shape, {}};
  grid.cells.reserve(printed.cells.size());
  for (const Cell& cell : printed.cells) {
    grid.cells.push_back(interval_of(cell));
  }
  return grid;
}

double slack(double value) { return 3e-7 * std::max(1.0, std::abs(value)); }

bool meet(const Interval& a, const Interval& b) {
  if (std::isinf(a.low) || std::isinf(b.low)) {
    return a.low == b.low;
  }
  const double room = slack(a.low) + slack(b.low);
  return a.low <= b.high + room && b.low <= a.high + room;
}

Grid transposed(const Grid& x, std::size_t axis_0, std::size_t axis_1) {
  Grid result{x.shape, {}};
  std::swap(result.shape[axis_0], result.shape[axis_1]);
  Shape strides = row_major_strides(x.shape);
  std::swap(strides[axis_0], strides[axis_1]);
  result.cells.reserve(x.cells.size());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.cells.size()); ++i) {
    const Shape index = index_at(i, result.shape);
    result.cells.push_back(
        x.cells[at(std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0}))]);
  }
  return result;
}

Grid sliced(const Grid& x, std::size_t axis, std::int64_t begin, std::int64_t count) {
  Grid result{x.shape, {}};
  result.shape[axis] = count;
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < x.rank(); ++i) {
    inner *= x.shape[i];
  }
  const std::int64_t block = inner * x.shape[axis];
  for (std::int64_t outer = 0; outer < static_cast<std::int64_t>(x.cells.size()); outer += block) {
    const auto first = x.cells.begin() + outer + begin * inner;
    result.cells.insert(result.cells.end(), first, first + count * inner);
  }
  return result;
}

Grid item(const Grid& x, std::size_t axis, std::int64_t i) {
  Grid result = sliced(x, axis, i, 1);
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return result;
}

Grid reshaped(const Grid& x, const Shape& shape) { return {shape, x.cells}; }

}  // namespace attn::verify
