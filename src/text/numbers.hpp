#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

/// Conversion of numbers to text and back, independent of the locale.
namespace attn::text {

/// The number with `digits` decimals; with std::chars_format::general, `digits` significant digits.
std::string number_text(double value, std::chars_format format, int digits);

/// "0.2379", as PyTorch prints numbers of medium size; otherwise "1.2000e-07".
std::string number_text(double value);

/// "1.25": at most five significant digits, without trailing zeros.
std::string factor_text(double value);

/// The number with the fewest digits that restore it.
std::string shortest_text(float value);
std::string shortest_text(double value);
std::string shortest_text(std::int64_t value);

/// The number with the fewest digits that, read as a double, round to this float; or "nan", "inf", "-inf".
std::string float_text(float value);

/// Parses the whole text as a number; empty if it is not one, or too large. The only sign is "-".
template <class Number>
requires std::integral<Number> || std::floating_point<Number> std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace attn::text
