#include "verify/bound/interval.hpp"

#include <numbers>
#include <numeric>

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

Interval square_root(const Interval& a) { return {std::sqrt(a.low), std::sqrt(a.high)}; }

Interval inverse_root(const Interval& a) {
  const Interval root = square_root(a);
  return {1 / root.high, 1 / root.low};
}

/// A variance is the least mean of squared distances from any point. The point to which all cells are nearest gives the
/// low, that from which all are farthest the high; both lie between the means of the cells' ends.
Interval variance_of(std::span<const Interval> cells) {
  const auto count = static_cast<double>(cells.size());
  const auto least = [&](auto distance) {
    const auto spread = [&](double point) {
      return std::accumulate(cells.begin(), cells.end(), 0.0, [&](double sum, const Interval& cell) {
        return sum + distance(cell, point) * distance(cell, point);
      });
    };
    Interval points;
    for (const Interval& cell : cells) {
      points = {points.low + cell.low / count, points.high + cell.high / count};
    }
    constexpr int steps = 100;
    for (int i = 0; i < steps; ++i) {
      const double third = (points.high - points.low) / 3;
      spread(points.low + third) < spread(points.high - third) ? points.high -= third : points.low += third;
    }
    return spread(points.middle()) / count;
  };
  return {least([](const Interval& x, double point) {
            return std::max({0.0, x.low - point, point - x.high});
          }),
          least([](const Interval& x, double point) { return std::max(point - x.low, x.high - point); })};
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
