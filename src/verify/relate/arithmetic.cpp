#include "verify/relate/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace attn::verify {
namespace {

/// Softmax of `count` cells, `stride` apart.
void softmax_along(std::span<const Interval> x, std::span<Interval> result, std::size_t count, std::size_t stride,
                   double divisor) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    most = std::max(most, x[i * stride].high / divisor);
  }
  double low_sum = 0;
  double high_sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Interval& cell = result[i * stride];
    cell = {std::exp(x[i * stride].low / divisor - most), std::exp(x[i * stride].high / divisor - most)};
    low_sum += cell.low;
    high_sum += cell.high;
  }
  for (std::size_t i = 0; i < count; ++i) {
    Interval& cell = result[i * stride];
    const Interval was = cell;
    cell.low = was.low > 0 ? was.low / (was.low + std::max(0.0, high_sum - was.high)) : 0;
    cell.high = was.high > 0 ? was.high / (was.high + std::max(0.0, low_sum - was.low)) : 0;
  }
}

/// The sizes of a product's operands: vectors as rows or columns.
struct Sizes {
  std::int64_t batches = 1;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t inner = 1;
  bool is_b_batched = false;
};

Sizes sizes_of(const Grid& a, const Grid& b, bool b_transposed) {
  Sizes sizes;
  sizes.inner = a.shape.back();
  sizes.rows = a.rank() > 1 ? a.shape[a.rank() - 2] : 1;
  sizes.columns = b.rank() > 1 ? b.shape[b.rank() - (b_transposed ? 2 : 1)] : 1;
  for (std::size_t axis = 0; axis + 2 < a.rank(); ++axis) {
    sizes.batches *= a.shape[axis];
  }
  sizes.is_b_batched = b.rank() > 2;
  return sizes;
}

Shape product_shape(const Grid& a, const Grid& b, const Sizes& sizes) {
  Shape shape(a.shape.begin(), a.shape.end() - 1);
  if (b.rank() > 1) {
    shape.push_back(sizes.columns);
  }
  return shape;
}

/// Makes a product cell by cell, row-major, as long as `take(cell)` wants more.
template <class Take>
void multiply(const Grid& a, const Grid& b, bool b_transposed, const Sizes& sizes, Take take) {
  const std::int64_t b_row = b_transposed || b.rank() == 1 ? 1 : sizes.columns;
  const std::int64_t b_column = b_transposed ? sizes.inner : 1;
  for (std::int64_t batch = 0; batch < sizes.batches; ++batch) {
    const Interval* b_cells = b.cells.data() + (sizes.is_b_batched ? batch * sizes.inner * sizes.columns : 0);
    for (std::int64_t row = 0; row < sizes.rows; ++row) {
      const Interval* a_cells = a.cells.data() + (batch * sizes.rows + row) * sizes.inner;
      for (std::int64_t column = 0; column < sizes.columns; ++column) {
        Interval sum;
        for (std::int64_t k = 0; k < sizes.inner; ++k) {
          const Interval one = times(a_cells[k], b_cells[k * b_row + column * b_column]);
          sum.low += one.low;
          sum.high += one.high;
        }
        if (!take(sum)) {
          return;
        }
      }
    }
  }
}

}  // namespace

Grid product(const Grid& a, const Grid& b, bool b_transposed) {
  const Sizes sizes = sizes_of(a, b, b_transposed);
  Grid result{product_shape(a, b, sizes), {}};
  result.cells.reserve(at(sizes.batches * sizes.rows * sizes.columns));
  multiply(a, b, b_transposed, sizes, [&](const Interval& cell) {
    result.cells.push_back(cell);
    return true;
  });
  return result;
}

std::optional<Grid> product_near(const Grid& a, const Grid& b, bool b_transposed, const Grid& printed,
                                 std::size_t most) {
  const Sizes sizes = sizes_of(a, b, b_transposed);
  std::vector<Interval> cells;
  std::size_t failing = 0;
  multiply(a, b, b_transposed, sizes, [&](const Interval& cell) {
    failing += meet(printed.cells[cells.size()], cell) ? 0U : 1U;
    cells.push_back(cell);
    return failing <= most;
  });
  return failing <= most ? std::optional(Grid{product_shape(a, b, sizes), std::move(cells)}) : std::nullopt;
}

Grid softmax_of(const Grid& x, double divisor, bool over_rows) {
  Grid result{x.shape, x.cells};
  const std::size_t columns = at(x.shape.back());
  const std::size_t rows = x.rank() > 1 ? at(x.shape[x.rank() - 2]) : 1;
  const std::span<const Interval> from(x.cells);
  const std::span<Interval> to(result.cells);
  const std::size_t block = over_rows ? rows * columns : columns;
  for (std::size_t begin = 0; begin < x.cells.size(); begin += block) {
    if (!over_rows) {
      softmax_along(from.subspan(begin), to.subspan(begin), columns, 1, divisor);
      continue;
    }
    for (std::size_t column = 0; column < columns; ++column) {
      softmax_along(from.subspan(begin + column), to.subspan(begin + column), rows, columns, divisor);
    }
  }
  return result;
}

Grid normalised(const Grid& x) {
  Grid result{x.shape, {}};
  result.cells.reserve(x.cells.size());
  const std::size_t columns = at(x.shape.back());
  for (std::size_t row = 0; row < x.cells.size(); row += columns) {
    Interval sum;
    for (std::size_t i = row; i < row + columns; ++i) {
      sum.low += x.cells[i].low;
      sum.high += x.cells[i].high;
    }
    for (std::size_t i = row; i < row + columns; ++i) {
      const Interval& cell = x.cells[i];
      const Interval others{sum.low - cell.low, sum.high - cell.high};
      const double low = cell.low / (cell.low + others.high);
      const double high = cell.high / (cell.high + others.low);
      result.cells.push_back(cell.low == 0 && cell.high == 0 ? Interval{}
                                                             : Interval{std::min(low, high), std::max(low, high)});
    }
  }
  return result;
}

Grid divided(const Grid& x, double divisor) {
  Grid result = x;
  for (Interval& cell : result.cells) {
    cell = {cell.low / divisor, cell.high / divisor};
  }
  return result;
}

Grid lower_triangle_of(const Grid& x, double value) {
  Grid result = x;
  const std::int64_t columns = x.shape.back();
  const std::int64_t rows = x.shape[x.rank() - 2];
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const auto position = static_cast<std::int64_t>(i);
    if (position % columns > position / columns % rows) {
      result.cells[i] = {value, value};
    }
  }
  return result;
}

Grid sums(const Grid& x, std::size_t axis) {
  Grid result{x.shape, {}};
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < x.rank(); ++i) {
    inner *= at(x.shape[i]);
  }
  const std::size_t count = at(x.shape[axis]);
  result.cells.resize(x.cells.size() / std::max<std::size_t>(1, count));
  for (std::size_t i = 0; i < x.cells.size(); ++i) {
    Interval& sum = result.cells[i / (inner * count) * inner + i % inner];
    sum.low += x.cells[i].low;
    sum.high += x.cells[i].high;
  }
  return result;
}

Grid added(const Grid& a, const Grid& b) {
  Grid result = a;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Interval& other = b.cells[i % b.cells.size()];
    result.cells[i] = {a.cells[i].low + other.low, a.cells[i].high + other.high};
  }
  return result;
}

Grid multiplied(const Grid& a, const Grid& b) {
  Grid result = a;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    result.cells[i] = times(a.cells[i], b.cells[i]);
  }
  return result;
}

Grid layer_norm_of(const Grid& x) {
  Grid result = x;
  const std::size_t columns = at(x.shape.back());
  for (std::size_t row = 0; row < x.cells.size(); row += columns) {
    double mean = 0;
    double radius = 0;
    for (std::size_t i = row; i < row + columns; ++i) {
      mean += x.cells[i].middle() / static_cast<double>(columns);
      radius = std::max(radius, x.cells[i].radius());
    }
    double variance = 0;
    for (std::size_t i = row; i < row + columns; ++i) {
      variance += (x.cells[i].middle() - mean) * (x.cells[i].middle() - mean) / static_cast<double>(columns);
    }
    const double deviation = std::sqrt(variance + 1e-5);
    for (std::size_t i = row; i < row + columns; ++i) {
      const double middle = (x.cells[i].middle() - mean) / deviation;
      const double width = radius / deviation * (2 + std::abs(middle) * std::max(1.0, std::abs(middle)));
      result.cells[i] = {middle - width, middle + width};
    }
  }
  return result;
}

}  // namespace attn::verify
