#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace attn::verify {

/// A number that is known up to rounding.
struct Interval {
  double low = 0;
  double high = 0;

  double middle() const { return low == high ? low : (low + high) / 2; }
  double radius() const { return low == high ? 0 : (high - low) / 2; }
  /// The greatest absolute value.
  double size() const { return std::max(std::abs(low), std::abs(high)); }
};

/// What is no number: an infinity times zero, zero by zero.
inline constexpr Interval no_number = {std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::quiet_NaN()};

inline bool is_number(const Interval& x) { return !std::isnan(x.low) && !std::isnan(x.high); }

inline bool is_whole(const Interval& x) { return x.low == x.high && x.low == std::floor(x.low); }

/// What float32 arithmetic may move a number of this size by.
inline double slack(double value) { return 3e-7 * std::max(1.0, std::abs(value)); }

/// Whether two numbers may be one: the intervals meet, with the slack of arithmetic.
bool meet(const Interval& a, const Interval& b);

/// From the least of the numbers to the greatest; no number where one of them is none.
Interval hull(double a, double b, double c, double d);

/// a * b.
Interval times(const Interval& a, const Interval& b);

/// a / b; no number where b may be 0.
Interval over(const Interval& a, const Interval& b);

}  // namespace attn::verify
