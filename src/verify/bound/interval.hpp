#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace attn::verify {

/// A number known up to rounding.
struct Interval {
  double low = 0;
  double high = 0;

  double middle() const { return low == high ? low : (low + high) / 2; }
  double radius() const { return low == high ? 0 : (high - low) / 2; }
  /// The largest absolute value.
  double size() const { return std::max(std::abs(low), std::abs(high)); }
};

/// A sum of terms, and the sum of their magnitudes.
struct Total {
  Interval exact;
  double size = 0;

  void add(const Interval& term) {
    exact.low += term.low;
    exact.high += term.high;
    size += term.size();
  }
};

/// An undefined result: infinity times zero, or zero divided by zero.
inline constexpr Interval no_number = {std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::quiet_NaN()};

inline bool is_whole(const Interval& x) { return x.low == x.high && x.low == std::floor(x.low); }

/// The amount by which float32 arithmetic may change a number of this size.
inline double slack(double value) { return 3e-7 * std::max(1.0, std::abs(value)); }

/// Returns true if two numbers may be equal: the intervals meet, with the arithmetic's slack.
bool meet(const Interval& a, const Interval& b);

/// The interval from the smallest to the largest number; no_number if any is undefined.
Interval hull(double a, double b, double c, double d);

/// a * b.
Interval times(const Interval& a, const Interval& b);

/// a / b; no_number if b may be 0.
Interval over(const Interval& a, const Interval& b);

/// sqrt(a) and 1 / sqrt(a); no_number if a may be negative.
Interval square_root(const Interval& a);
Interval inverse_root(const Interval& a);

/// The variance of numbers, one in each cell.
Interval variance_of(std::span<const Interval> cells);

/// cos(a) and sin(a).
Interval cosine(const Interval& a);
Interval sine(const Interval& a);

}  // namespace attn::verify
