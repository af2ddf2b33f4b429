#include "verify/explain/compare.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <variant>

namespace attn::verify {
namespace {

/// How a number is written.
struct Format {
  bool point = false;
  bool scientific = false;
  int decimals = 0;
};

Format format_of(std::string_view text) {
  Format format;
  const std::size_t exponent = text.find_first_of("eE");
  format.scientific = exponent != std::string_view::npos;
  const std::string_view mantissa = text.substr(0, exponent);
  const std::size_t point = mantissa.find('.');
  format.point = point != std::string_view::npos;
  if (format.point) {
    constexpr std::size_t most_decimals = 17;  // beyond, no digit tells one float from another
    format.decimals = static_cast<int>(std::min(most_decimals, mantissa.size() - point - 1));
  }
  return format;
}

std::string formatted(const Format& format, double value) {
  char buffer[400];
  const auto notation = format.scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const auto result = std::to_chars(std::begin(buffer), std::end(buffer), value, notation, format.decimals);
  std::string text(std::begin(buffer), result.ptr);
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

/// The number after rounding to the cell's format.
double rounded_as(const Cell& cell, double value) {
  const std::string text = formatted(format_of(cell.text), value);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

CellVerdict by_units(double units, bool integral) {
  if (units < 0.5) {
    return CellVerdict::holds;
  }
  return units < 1.5 && !integral ? CellVerdict::last_digit : CellVerdict::differs;
}

/// Whether the numbers just below have finer digits: 1.0000e+00 next to 9.9999e-01.
bool starts_a_decade(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  return exponent != std::string_view::npos &&
         text.substr(0, exponent).find_first_of("23456789") == std::string_view::npos;
}

/// Near ties only the text decides.
CellVerdict compare_as_text(const Cell& cell, double value, bool integral) {
  const double rounded = rounded_as(cell, value);
  if (starts_a_decade(cell.text) && std::abs(rounded) < std::abs(cell.value)) {
    return by_units(std::abs(cell.value - rounded) / (cell.unit / 10), integral);
  }
  return by_units(std::abs(cell.value - rounded) / cell.unit, integral);
}

bool is_integral(const Cell& cell) {
  return cell.unit >= 1 && cell.text.find_first_of("eE") == std::string_view::npos;
}

/// A damaged number is NaN as well.
bool says_nan(std::string_view text) {
  return text.find("nan") != std::string_view::npos || text.find("NaN") != std::string_view::npos;
}

std::string without_space(std::string_view text) {
  std::string result;
  const auto is_ink = [](char c) { return c != ' ' && c != '\n'; };
  std::copy_if(text.begin(), text.end(), std::back_inserter(result), is_ink);
  return result;
}

std::string grad_fn_of(const std::string& text) {
  const std::size_t begin = text.rfind("grad_fn=<");
  if (begin == std::string::npos) {
    return "";
  }
  return text.substr(begin, text.find('>', begin) + 1 - begin);
}

}  // namespace

CellVerdict compare_cell(const Cell& cell, double value) {
  if (cell.unit <= 0 || !std::isfinite(value) || !std::isfinite(cell.value)) {
    return cell.value == value || (std::isnan(value) && says_nan(cell.text)) ? CellVerdict::holds : CellVerdict::differs;
  }
  const double distance = std::abs(cell.value - value);
  if (cell.unit < std::abs(value) * 1.2e-7) {
    const double unit = spacing(value);
    if (cell.unit < unit) {
      return by_units(distance / unit, false);
    }
  }
  const double units = distance / cell.unit;
  constexpr double margin = 1e-6;
  const bool integral = is_integral(cell);
  const bool near_tie = std::abs(units - 0.5) < margin || std::abs(units - 1.5) < margin;
  if (near_tie || (units < 1.5 && units > 0.01 && starts_a_decade(cell.text))) {
    return compare_as_text(cell, value, integral);
  }
  return by_units(units, integral);
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
  Format format = format_of(cell.text);
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

Tally tally(std::span<const Cell> cells, std::span<const double> values, std::int64_t most) {
  Tally result;
  for (std::size_t i = 0; i < cells.size() && result.differs <= most; ++i) {
    const CellVerdict verdict = compare_cell(cells[i], values[i]);
    result.differs += verdict == CellVerdict::differs ? 1 : 0;
    result.last_digit += verdict == CellVerdict::last_digit ? 1 : 0;
  }
  return result;
}

Numbers numbers_of(const Tensor& tensor) {
  Numbers numbers{tensor.shape(), tensor.dtype(), {}};
  const auto contents = tensor.array().contents();
  std::visit(
      [&](const auto& array) {
        numbers.values.reserve(array.size());
        for (std::size_t i = 0; i < array.size(); ++i) {
          numbers.values.push_back(static_cast<double>(array.data()[i]));
        }
      },
      *contents);
  return numbers;
}

bool same_kind(const Printed& printed, const Numbers& numbers) {
  return printed.is_bool == (numbers.dtype == DType::boolean);
}

bool has_gap(const Printed& printed) {
  return std::any_of(printed.shown_before_gap.begin(), printed.shown_before_gap.end(),
                     [](std::int64_t before) { return before >= 0; });
}

bool is_regular(const Printed& printed) {
  std::size_t count = 1;
  for (const std::int64_t size : printed.shape) {
    count *= static_cast<std::size_t>(size);
  }
  return !printed.ragged && count == printed.cells.size();
}

bool same_shape(const Printed& printed, const Shape& shape) {
  if (!is_regular(printed) || printed.shape.size() != shape.size()) {
    return false;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool gap = axis < printed.shown_before_gap.size() && printed.shown_before_gap[axis] >= 0;
    if (gap ? printed.shape[axis] >= shape[axis] : printed.shape[axis] != shape[axis]) {
      return false;
    }
  }
  return true;
}

std::vector<double> shown_values(const Printed& printed, const Numbers& numbers) {
  const Shape strides = row_major_strides(numbers.shape);
  std::vector<double> shown;
  shown.reserve(printed.cells.size());
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    const Shape index = index_of(static_cast<std::int64_t>(i), printed.shape);
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      const std::int64_t before = axis < printed.shown_before_gap.size() ? printed.shown_before_gap[axis] : -1;
      const bool after_gap = before >= 0 && index[axis] >= before;
      position += strides[axis] * (index[axis] + (after_gap ? numbers.shape[axis] - printed.shape[axis] : 0));
    }
    shown.push_back(numbers.values[static_cast<std::size_t>(position)]);
  }
  return shown;
}

std::string plain_layout(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last != std::string_view::npos) {
      result.append(result.empty() ? "" : "\n").append(line.substr(0, last + 1));
    }
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  constexpr std::string_view old_name = "SqueezeBackward3";
  if (const std::size_t found = result.rfind(old_name); found != std::string::npos) {
    result[found + old_name.size() - 1] = '4';
  }
  return result;
}

std::string layout_difference(const Printed& printed, const std::string& page, const std::string& step) {
  std::string reason;
  const auto add = [&reason](const std::string& words) { reason += (reason.empty() ? "" : "; ") + words; };
  if (printed.missing_parenthesis) {
    add("the closing parenthesis is missing");
  }
  if (page.find("```") != std::string::npos) {
    add("a code fence stands in it");
  }
  const std::string page_grad_fn = grad_fn_of(page);
  const std::string step_grad_fn = grad_fn_of(step);
  if (page_grad_fn != step_grad_fn) {
    add(page_grad_fn.empty()   ? step_grad_fn + " is missing"
        : step_grad_fn.empty() ? page_grad_fn + " is added"
                               : page_grad_fn + " instead of " + step_grad_fn);
  }
  if (reason.empty()) {
    add(without_space(page) == without_space(step) ? "spacing" : "written otherwise");
  }
  return reason;
}

Shape index_of(std::int64_t position, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = axis == 0 ? position : position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

std::string plain_label(std::string_view label) {
  std::string result;
  for (const char c : label) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isspace(byte) != 0) {
      if (!result.empty() && result.back() != ' ') {
        result += ' ';
      }
    } else {
      result += static_cast<char>(std::tolower(byte));
    }
  }
  result.erase(result.find_last_not_of(": ") + 1);
  return result;
}

}  // namespace attn::verify
