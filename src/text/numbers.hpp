#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

/// Numbers to text and back, whatever the locale.
namespace attn::text {

/// With `digits` after the point; in std::chars_format::general, with so many significant ones.
std::string number_text(double value, std::chars_format format, int digits);

/// "0.2379", as PyTorch prints a number of middling size; "1.2000e-07" else.
std::string number_text(double value);

/// "1.25": at most five significant digits, no zeros at the end.
std::string factor_text(double value);

/// The fewest digits that give the number back.
std::string shortest_text(float value);
std::string shortest_text(double value);
std::string shortest_text(std::int64_t value);

/// The fewest digits which, read as a double, round to this float; "nan", "inf" and "-inf" as such.
std::string float_text(float value);

/// "149,982"
std::string grouped_digits(std::uint64_t value);

/// The number that the whole text is; empty where it is none, or too large. Signs before it: "-" alone.
template <class Number>
requires std::integral<Number> || std::floating_point<Number> std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace attn::text
