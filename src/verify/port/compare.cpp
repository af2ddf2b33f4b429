#include "verify/port/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

namespace attn::verify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Adds the comparison of the cells from `first` on; both hold.
void add(Comparison& all, const Comparison& some, std::int64_t first) {
  all.cells += some.cells;
  if (some.greatest_absolute > all.greatest_absolute) {
    all.greatest_absolute = some.greatest_absolute;
    all.absolute_at = first + some.absolute_at;
    all.absolute_right = some.absolute_right;
  }
  if (some.greatest_relative > all.greatest_relative) {
    all.greatest_relative = some.greatest_relative;
    all.relative_at = first + some.relative_at;
    all.relative_right = some.relative_right;
  }
  all.passing_rtol = std::max(all.passing_rtol, some.passing_rtol);
  all.passing_atol = std::max(all.passing_atol, some.passing_atol);
}

}  // namespace

bool is_held(double theirs, double right, const Tolerance& tolerance) {
  return is_equal(theirs, right) || (std::isfinite(theirs) && std::isfinite(right) &&
                                     std::abs(theirs - right) <= tolerance.atol + tolerance.rtol * std::abs(right));
}

Comparison compare(std::span<const double> theirs, std::span<const double> right, const Tolerance& tolerance,
                   std::span<const std::int64_t> cells) {
  Comparison result;
  result.cells = static_cast<std::int64_t>(cells.empty() ? right.size() : cells.size());
  result.passing_atol = result.passing_rtol = 0;
  for (std::int64_t place = 0; place < result.cells; ++place) {
    const std::int64_t cell = cells.empty() ? place : cells[static_cast<std::size_t>(place)];
    const auto i = static_cast<std::size_t>(cell);
    if (is_equal(theirs[i], right[i])) {
      continue;
    }
    const bool are_numbers = std::isfinite(theirs[i]) && std::isfinite(right[i]);
    const double difference = are_numbers ? std::abs(theirs[i] - right[i]) : infinity;
    const double size = std::abs(right[i]);
    if (!are_numbers || !(difference <= tolerance.atol + tolerance.rtol * size)) {
      result.mismatched.push_back(cell);
    }
    if (difference > result.greatest_absolute) {
      result.greatest_absolute = difference;
      result.absolute_at = cell;
      result.absolute_right = right[i];
    }
    if (are_numbers && size > 0 && difference / size > result.greatest_relative) {
      result.greatest_relative = difference / size;
      result.relative_at = cell;
      result.relative_right = right[i];
    }
    if (!are_numbers) {
      result.passing_atol = result.passing_rtol = std::nullopt;
      continue;
    }
    if (result.passing_atol) {
      result.passing_atol = std::max(*result.passing_atol, difference - tolerance.rtol * size);
    }
    if (result.passing_rtol && difference > tolerance.atol) {
      result.passing_rtol =
          size > 0 ? std::optional(std::max(*result.passing_rtol, (difference - tolerance.atol) / size)) : std::nullopt;
    }
  }
  return result;
}

std::optional<Comparison> compared_in_parts(std::span<const double> theirs, const Tensor& right,
                                            const Tolerance& tolerance) {
  constexpr std::size_t at_once = std::size_t{1} << 15U;  // fits into the cache
  std::vector<double> numbers;
  std::size_t first = 0;
  Comparison all;
  all.passing_rtol = all.passing_atol = 0;
  bool holds = true;
  const auto compare_with = [&](const auto& block) {
    for (std::size_t begin = 0; holds && begin < block.size(); begin += at_once) {
      const std::size_t end = std::min(block.size(), begin + at_once);
      numbers.assign(block.data() + begin, block.data() + end);
      const Comparison some = compare(theirs.subspan(first, numbers.size()), numbers, tolerance);
      add(all, some, static_cast<std::int64_t>(first));
      holds = some.holds();
      first += numbers.size();
    }
  };
  right.every_part([&](const Array& rows) {
    std::visit(compare_with, *rows.contents());
    return holds;
  });
  return holds ? std::optional(std::move(all)) : std::nullopt;
}

}  // namespace attn::verify
