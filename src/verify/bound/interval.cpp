#include "verify/bound/interval.hpp"

#include <numbers>

namespace attn::verify {
Interval hull(double a, double b, double c, double d) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c) || std::isnan(d)) {
    return no_number;
  }
  return {std::min({a, b, c, d}), std::max({a, b, c, d})};
}

bool meet(const Interval& a, const Interval& b) {
  if (std::isinf(a.low) || std::isinf(b.low)) {
    return a.low == b.low;
  }
  const double room = slack(a.low) + slack(b.low);
  return a.low <= b.high + room && b.low <= a.high + room;
}

Interval times(const Interval& a, const Interval& b) {
  return hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

Interval over(const Interval& a, const Interval& b) {
  if (b.low <= 0 && b.high >= 0) {
    return no_number;
  }
  return hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

Interval cosine(const Interval& a) {
  if (!std::isfinite(a.low) || !std::isfinite(a.high)) {
    return no_number;
  }
  Interval result = {std::min(std::cos(a.low), std::cos(a.high)), std::max(std::cos(a.low), std::cos(a.high))};
  const auto has_multiple = [&](double first, double step) {
    return std::floor((a.high - first) / step) >= std::ceil((a.low - first) / step);
  };
  if (has_multiple(0, 2 * std::numbers::pi)) {
    result.high = 1;
  }
  if (has_multiple(std::numbers::pi, 2 * std::numbers::pi)) {
    result.low = -1;
  }
  return result;
}

Interval sine(const Interval& a) { return cosine({a.low - std::numbers::pi / 2, a.high - std::numbers::pi / 2}); }

}  // namespace attn::verify
