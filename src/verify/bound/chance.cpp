#include "verify/bound/chance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attn::verify {
namespace {

bool is_zero(const Interval& cell) { return cell.low == 0 && cell.high == 0; }

/// log10 of the probability that one cell holds if the numbers range over `range`. A zero that may come from a mask
/// says nothing.
double chance_of(const Interval& printed, const Interval& number, double range, bool zeros_are_masked) {
  if (!std::isfinite(printed.low) || (zeros_are_masked && is_zero(printed) && number.size() < 1e-6)) {
    return 0;
  }
  double width = number.high - number.low + printed.high - printed.low + 2 * slack(printed.low);
  if (is_whole(printed)) {
    width = std::max(width, 1.0);  // whole numbers are no finer than 1
    range += 1;
  }
  return range > 0 ? std::log10(std::clamp(width / range, 1e-12, 1.0)) : 0;
}

}  // namespace

double range_of(const Observed& observed) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Interval& cell : observed.cells()) {
    if (std::isfinite(cell.low) && !is_zero(cell)) {
      low = std::min(low, cell.middle());
      high = std::max(high, cell.middle());
    }
  }
  return high > low ? high - low : 0;
}

bool is_constant(const Observed& observed) {
  std::optional<double> first;
  for (const Interval& cell : observed.cells()) {
    if (!std::isfinite(cell.low)) {
      continue;
    }
    if (first && cell.middle() != *first) {
      return false;
    }
    first = cell.middle();
  }
  return true;
}

bool is_binary(const Observed& observed) {
  double other = 0;
  for (const Interval& cell : observed.cells()) {
    if (cell.middle() != 0 && other != 0 && cell.middle() != other) {
      return false;
    }
    other = cell.middle() != 0 ? cell.middle() : other;
  }
  return true;
}

std::size_t few_of(const Observed& observed) {
  const auto telling = std::ranges::count_if(
      observed.cells(), [](const Interval& cell) { return std::isfinite(cell.low) && cell.middle() != 0; });
  return std::max<std::size_t>(1, static_cast<std::size_t>(telling) * 15 / 100);
}

double log_ways(std::size_t all, std::size_t some) {
  double result = 0;
  for (std::size_t i = 0; i < some; ++i) {
    result += std::log10(static_cast<double>(all - i) / static_cast<double>(i + 1));
  }
  return result;
}

double chance_of_holding(const Observed& printed, std::span<const Interval> numbers,
                         std::span<const std::int64_t> failing, std::optional<double> range) {
  const bool constant = is_constant(printed);
  const double own = range ? *range : range_of(printed);
  const bool zeros_are_masked = !std::ranges::all_of(printed.cells(), is_whole) || is_binary(printed);
  double chance = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (next < failing.size() && failing[next] == static_cast<std::int64_t>(i)) {
      ++next;
      continue;
    }
    const Interval cell = printed.cell(i);
    chance += chance_of(cell, numbers[i], constant && !range ? std::abs(cell.low) : own, zeros_are_masked);
    if (constant && chance < 0) {
      break;  // the others are the same again
    }
  }
  return chance;
}

}  // namespace attn::verify
