#include "verify/relate/chance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attn::verify {
namespace {

bool is_zero(const Interval& cell) { return cell.low == 0 && cell.high == 0; }

bool is_whole(const Interval& cell) { return cell.low == cell.high && cell.low == std::floor(cell.low); }

/// log10 of the probability that one cell holds where the numbers range over `range`.
double chance_of(const Interval& printed, const Interval& number, double range) {
  if (!std::isfinite(printed.low) ||
      (is_zero(printed) && std::abs(number.low) < 1e-6 && std::abs(number.high) < 1e-6)) {
    return 0;
  }
  double width = number.high - number.low + printed.high - printed.low + 2 * slack(printed.low);
  if (is_whole(printed) && is_whole(number)) {
    width = 1;  // whole numbers are no finer than that
    range += 1;
  }
  return range > 0 ? std::log10(std::clamp(width / range, 1e-12, 1.0)) : 0;
}

}  // namespace

double range_of(const Grid& grid) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Interval& cell : grid.cells) {
    if (std::isfinite(cell.low) && !is_zero(cell)) {
      low = std::min(low, cell.middle());
      high = std::max(high, cell.middle());
    }
  }
  return high > low ? high - low : 0;
}

bool is_constant(const Grid& grid) {
  const Interval* first = nullptr;
  for (const Interval& cell : grid.cells) {
    if (!std::isfinite(cell.low)) {
      continue;
    }
    if (first && cell.middle() != first->middle()) {
      return false;
    }
    first = &cell;
  }
  return true;
}

bool is_binary(const Grid& grid) {
  double other = 0;
  for (const Interval& cell : grid.cells) {
    if (!is_whole(cell) || (cell.low != 0 && other != 0 && cell.low != other)) {
      return false;
    }
    other = cell.low != 0 ? cell.low : other;
  }
  return true;
}

std::size_t few_of(const Grid& grid) {
  const auto telling = std::ranges::count_if(
      grid.cells, [](const Interval& cell) { return std::isfinite(cell.low) && cell.middle() != 0; });
  return std::max<std::size_t>(1, static_cast<std::size_t>(telling) * 15 / 100);
}

double log_ways(std::size_t all, std::size_t some) {
  double result = 0;
  for (std::size_t i = 0; i < some; ++i) {
    result += std::log10(static_cast<double>(all - i) / static_cast<double>(i + 1));
  }
  return result;
}

Overlap lay(const Grid& printed, const Grid& numbers, std::size_t most) {
  Overlap result;
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    if (!meet(printed.cells[i], numbers.cells[i])) {
      if (result.failing.size() == most) {
        return result;
      }
      result.failing.push_back(static_cast<std::int64_t>(i));
    }
  }
  result.is_decided = true;
  const double range = range_of(printed);
  std::size_t next = 0;
  bool counted = false;
  const bool constant = is_constant(printed);
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    if (next < result.failing.size() && result.failing[next] == static_cast<std::int64_t>(i)) {
      ++next;
      continue;
    }
    if (constant && counted) {
      break;
    }
    const double here =
        chance_of(printed.cells[i], numbers.cells[i], constant ? std::abs(printed.cells[i].low) : range);
    counted = counted || here < 0;
    result.chance += here;
  }
  return result;
}

}  // namespace attn::verify
