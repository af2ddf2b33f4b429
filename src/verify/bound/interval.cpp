#include "verify/bound/interval.hpp"

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

}  // namespace attn::verify
