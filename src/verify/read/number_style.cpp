#include "verify/read/number_style.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attn::verify {
namespace {

constexpr int fewest_significant = 6;

bool is_scientific(const Cell& cell) {
  return cell.text.find_first_of("eE") != std::string_view::npos && std::isfinite(cell.value);
}

bool has_unit(const Cell& cell) { return cell.unit > 0 && std::isfinite(cell.value); }

/// Matches 0.e+00: numbers with an exponent print their first digit, so this one is exactly 0.
bool is_exact_zero(const Cell& cell) { return is_scientific(cell) && cell.value == 0; }

/// "1", "1." or "1.0".
bool is_whole_number(const Cell& cell) {
  return cell.value == std::floor(cell.value) && cell.unit > 0.05 && !is_scientific(cell);
}

/// The exponent of ten of a number's first digit.
int magnitude(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

/// The number of visible digits from the first nonzero one on.
int significant_digits(const Cell& cell) {
  return magnitude(cell.value) - static_cast<int>(std::lround(std::log10(cell.unit))) + 1;
}

void set_fixed(std::span<Cell> cells) {
  for (Cell& cell : cells) {
    const bool is_whole = cell.unit >= 1 && !is_scientific(cell);
    cell.unit = is_whole || is_exact_zero(cell) ? 0 : cell.unit;
  }
}

void set_trimmed(std::span<Cell> cells) {
  const auto takes_part = [](const Cell& cell) { return has_unit(cell) && !is_scientific(cell); };
  double finest = std::numeric_limits<double>::infinity();
  bool all_whole = true;
  for (const Cell& cell : cells) {
    all_whole = all_whole && (!has_unit(cell) || is_whole_number(cell));
    finest = takes_part(cell) ? std::min(finest, cell.unit) : finest;
  }
  for (Cell& cell : cells) {
    cell.unit = all_whole || is_exact_zero(cell) ? 0 : takes_part(cell) ? finest : cell.unit;
  }
}

void set_significant(std::span<Cell> cells) {
  const auto takes_part = [](const Cell& cell) { return has_unit(cell) && cell.value != 0; };
  int most = fewest_significant;
  for (const Cell& cell : cells) {
    most = takes_part(cell) ? std::max(most, significant_digits(cell)) : most;
  }
  for (Cell& cell : cells) {
    cell.unit = takes_part(cell) ? std::pow(10.0, magnitude(cell.value) - (most - 1)) : 0;
  }
}

}  // namespace

void set_units(std::span<Cell> cells, NumberStyle style) {
  switch (style) {
    case NumberStyle::fixed: set_fixed(cells); break;
    case NumberStyle::trimmed: set_trimmed(cells); break;
    case NumberStyle::significant: set_significant(cells); break;
  }
}

}  // namespace attn::verify
