#include "verify/explain/compare.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>

#include "text/numbers.hpp"

namespace attn::verify {
namespace {

/// The notation of a number.
struct Format {
  bool point = false;
  bool scientific = false;
  int decimals = 0;
};

/// The exponent of ten of the first digit.
double magnitude(double value) { return value == 0 ? 0 : std::floor(std::log10(std::abs(value))); }

Format format_of(const Cell& cell) {
  Format format;
  const std::size_t exponent = cell.text.find_first_of("eE");
  format.scientific = exponent != std::string_view::npos;
  format.point = cell.text.substr(0, exponent).find('.') != std::string_view::npos;
  if (cell.unit > 0) {
    constexpr double most_decimals = 17;  // more decimals do not distinguish floats
    const double decimals = (format.scientific ? magnitude(cell.value) : 0) - std::round(std::log10(cell.unit));
    format.decimals = static_cast<int>(std::clamp(decimals, 0.0, most_decimals));
    format.point = format.point || format.decimals > 0;
  }
  return format;
}

std::string formatted(const Format& format, double value) {
  const auto notation = format.scientific ? std::chars_format::scientific : std::chars_format::fixed;
  std::string text = text::number_text(value, notation, format.decimals);
  if (format.point && format.decimals == 0 && !format.scientific) {
    text += '.';
  }
  return text;
}

/// The distance from one float to the next.
double spacing(double value) {
  const auto magnitude = static_cast<float>(std::abs(value));
  return static_cast<double>(std::nextafter(magnitude, std::numeric_limits<float>::infinity())) -
         static_cast<double>(magnitude);
}

/// The number rounded to the cell's format.
double rounded_as(const Cell& cell, double value) {
  return text::number_of<double>(formatted(format_of(cell), value)).value_or(value);
}

CellVerdict by_units(double units) {
  if (units < 0.5) {
    return CellVerdict::holds;
  }
  return units < 1.5 ? CellVerdict::last_digit : CellVerdict::differs;
}

/// Returns true if the numbers just below have finer digits: 1.0000e+00 next to 9.9999e-01.
bool starts_a_decade(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  return exponent != std::string_view::npos &&
         text.substr(0, exponent).find_first_of("23456789") == std::string_view::npos;
}

/// Compares as text, which decides near ties.
CellVerdict compare_as_text(const Cell& cell, double value) {
  const double rounded = rounded_as(cell, value);
  if (starts_a_decade(cell.text) && std::abs(rounded) < std::abs(cell.value)) {
    return by_units(std::abs(cell.value - rounded) / (cell.unit / 10));
  }
  return by_units(std::abs(cell.value - rounded) / cell.unit);
}

/// A damaged number is NaN, too.
bool says_nan(std::string_view text) {
  return text.find("nan") != std::string_view::npos || text.find("NaN") != std::string_view::npos;
}

/// Compares a number that is exact up to the rounding of a few float32 operations, or a special value.
CellVerdict compare_exactly(const Cell& cell, double value) {
  constexpr double rounding = 3e-7;
  const bool same = cell.value == value || (std::isnan(value) && says_nan(cell.text)) ||
                    (std::isfinite(value) && std::abs(cell.value - value) <= rounding * std::max(1.0, std::abs(value)));
  return same ? CellVerdict::holds : CellVerdict::differs;
}

}  // namespace

CellVerdict compare_cell(const Cell& cell, double value) {
  if (cell.unit <= 0 || !std::isfinite(value) || !std::isfinite(cell.value)) {
    return compare_exactly(cell, value);
  }
  const double distance = std::abs(cell.value - value);
  if (cell.unit < std::abs(value) * 1.2e-7) {
    const double unit = spacing(value);
    if (cell.unit < unit) {
      return by_units(distance / unit);
    }
  }
  const double units = distance / cell.unit;
  constexpr double margin = 1e-6;
  const bool near_tie = std::abs(units - 0.5) < margin || std::abs(units - 1.5) < margin;
  if (near_tie || (units < 1.5 && units > 0.01 && starts_a_decade(cell.text))) {
    return compare_as_text(cell, value);
  }
  return by_units(units);
}

Tally compare(std::span<const Cell> cells, std::span<const double> values, std::int64_t most) {
  Tally tally;
  for (std::size_t i = 0; i < cells.size() && tally.differs <= most; ++i) {
    tally.add(compare_cell(cells[i], values[i]));
  }
  return tally;
}

Tally compare(const Printed& printed, const Numbers& numbers, std::int64_t most) {
  return has_gap(printed) ? compare(printed.cells, shown_values(printed, numbers), most)
                          : compare(printed.cells, numbers.values, most);
}

std::string in_format_of(const Cell& cell, double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  if (cell.text == "True" || cell.text == "False") {
    return value != 0 ? "True" : "False";
  }
  Format format = format_of(cell);
  if (!std::isfinite(cell.value)) {
    format = {true, false, value == std::floor(value) ? 0 : 4};
  }
  return formatted(format, value);
}

const Cell* sample_cell(std::span<const Cell> cells) {
  const auto is_finite = [](const Cell& cell) { return std::isfinite(cell.value); };
  const auto found = std::find_if(cells.begin(), cells.end(), is_finite);
  return found == cells.end() ? nullptr : &*found;
}

}  // namespace attn::verify
