#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "verify/relate/grid.hpp"

/// The operations of attention on numbers that are known up to rounding: every number that the operation may give lies
/// in the interval that it has here.
namespace attn::verify {

/// a * b.
inline Interval times(const Interval& a, const Interval& b) {
  const double middle = a.middle() * b.middle();
  const double radius = std::abs(a.middle()) * b.radius() + a.radius() * (std::abs(b.middle()) + b.radius());
  return {middle - radius, middle + radius};
}

/// [m, k] @ [k, n]; batches [..., m, k] @ [..., k, n] or @ [k, n]. With `b_transposed` b is [..., n, k]. A vector is a
/// row on the left and a column on the right, and its axis is gone from the result. The shapes must fit.
Grid product(const Grid& a, const Grid& b, bool b_transposed);
/// The same, given up, and empty, where more than `most` cells cannot be the printed ones.
std::optional<Grid> product_near(const Grid& a, const Grid& b, bool b_transposed, const Grid& printed,
                                 std::size_t most);

/// Softmax of x / divisor along the last axis, or along the one before it. Cells of -inf count nothing.
Grid softmax_of(const Grid& x, double divisor, bool over_rows = false);

/// Rows divided by their sums.
Grid normalised(const Grid& x);

/// x / divisor.
Grid divided(const Grid& x, double divisor);

/// What stands on and below the diagonal of the last two axes; above it, `value`.
Grid lower_triangle_of(const Grid& x, double value);

/// The sums along an axis, which is gone.
Grid sums(const Grid& x, std::size_t axis);

/// a + b; b may be [n] for a [..., n].
Grid added(const Grid& a, const Grid& b);

/// a * b, cell by cell.
Grid multiplied(const Grid& a, const Grid& b);

/// (x - mean) / (standard deviation) along the last axis.
Grid layer_norm_of(const Grid& x);

}  // namespace attn::verify
