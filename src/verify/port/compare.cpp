#include "verify/port/compare.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace attn::verify {

bool is_held(double theirs, double right, const Tolerance& tolerance) {
  return theirs == right || (std::isnan(theirs) && std::isnan(right)) ||
         (std::isfinite(theirs) && std::isfinite(right) &&
          std::abs(theirs - right) <= tolerance.atol + tolerance.rtol * std::abs(right));
}

Comparison compare(std::span<const double> theirs, std::span<const double> right, const Tolerance& tolerance,
                   std::span<const std::int64_t> cells) {
  Comparison result;
  result.cells = static_cast<std::int64_t>(cells.empty() ? right.size() : cells.size());
  for (std::int64_t place = 0; place < result.cells; ++place) {
    const std::int64_t cell = cells.empty() ? place : cells[static_cast<std::size_t>(place)];
    const double here = theirs[static_cast<std::size_t>(cell)];
    const double there = right[static_cast<std::size_t>(cell)];
    if (here == there || (std::isnan(here) && std::isnan(there))) {
      continue;
    }
    if (!is_held(here, there, tolerance)) {
      result.mismatched.push_back(cell);
    }
    const bool are_numbers = std::isfinite(here) && std::isfinite(there);
    const double difference = are_numbers ? std::abs(here - there) : std::numeric_limits<double>::infinity();
    if (difference > result.greatest_absolute) {
      result.greatest_absolute = difference;
      result.absolute_at = cell;
    }
    if (are_numbers && there != 0 && difference / std::abs(there) > result.greatest_relative) {
      result.greatest_relative = difference / std::abs(there);
      result.relative_at = cell;
    }
  }
  return result;
}

}  // namespace attn::verify
