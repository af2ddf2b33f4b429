#pragma once

#include <algorithm>
#include <cmath>

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

/// An undefined result: infinity times zero, or zero divided by zero.
inline constexpr Interval no_number = {NAN, NAN};

inline bool is_whole(const Interval& x) { return x.low == x.high && x.low == std::floor(x.low); }

/// The amount by which float32 arithmetic may change a number of this size.
inline double slack(double value) { return 3e-7 * std::max(1.0, std::abs(value)); }

/// Returns true if two numbers may be equal: the intervals meet, with a slack in proportion to them, as many numbers
/// are small.
inline bool meet(const Interval& a, const Interval& b) {
  constexpr double least = 1.2e-38;  // less is 0 to most kernels
  const double room = slack(1) * a.size() + least;
  return std::isinf(a.low) || std::isinf(b.low) ? a.low == b.low : a.low <= b.high + room && b.low <= a.high + room;
}

/// The interval from the smallest to the largest number; no_number if any is undefined.
inline Interval hull(double a, double b, double c, double d) {
  const bool is_defined = !std::isnan(a) && !std::isnan(b) && !std::isnan(c) && !std::isnan(d);
  return is_defined ? Interval{std::min({a, b, c, d}), std::max({a, b, c, d})} : no_number;
}

inline Interval times(const Interval& a, const Interval& b) {
  return hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

/// a / b; no_number if b may be 0.
inline Interval over(const Interval& a, const Interval& b) {
  const bool may_be_0 = b.low <= 0 && b.high >= 0;
  return may_be_0 ? no_number : hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

}  // namespace attn::verify
