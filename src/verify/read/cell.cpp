#include "verify/read/cell.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include "text/ascii.hpp"

namespace attn::verify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool is_sign(char c) { return c == '-' || c == '+'; }

/// Returns true if the character is the e of "1.25e-03" or "3.e+05".
bool is_exponent_mark(std::string_view text, std::size_t at) {
  return at > 0 && text::lower(text[at]) == 'e' && (text::is_digit(text[at - 1]) || text[at - 1] == '.');
}

/// The digits before and after the point, the exponent, and the rest of the word.
struct Parts {
  std::string_view whole;
  std::string_view fraction;
  std::int64_t exponent = 0;
  std::string_view rest;
};

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, text::is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// Takes "e-03" from the text's start; an exponent beyond the range of double becomes that of the largest or smallest.
std::int64_t take_exponent(std::string_view& text) {
  std::string_view after = text.substr(std::min<std::size_t>(1, text.size()));
  if (text.empty() || text::lower(text.front()) != 'e') {
    return 0;
  }
  const bool negative = after.starts_with('-');
  after.remove_prefix(!after.empty() && is_sign(after.front()) ? 1 : 0);
  const std::string_view digits = take_digits(after);
  if (digits.empty()) {
    return 0;
  }
  text = after;
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  constexpr std::int64_t beyond = 1'000'000'000'000;
  exponent = error == std::errc() ? std::min(exponent, beyond) : beyond;
  return negative ? -exponent : exponent;
}

Parts split(std::string_view unsigned_word) {
  Parts parts;
  parts.whole = take_digits(unsigned_word);
  if (unsigned_word.starts_with('.')) {
    unsigned_word.remove_prefix(1);
    parts.fraction = take_digits(unsigned_word);
  }
  if (!parts.whole.empty() || !parts.fraction.empty()) {
    parts.exponent = take_exponent(unsigned_word);
  }
  parts.rest = unsigned_word;
  return parts;
}

double power_of_ten(std::int64_t exponent) {
  constexpr std::array small = {1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12};
  if (exponent <= 0 && -exponent < static_cast<std::int64_t>(small.size())) {
    return small[static_cast<std::size_t>(-exponent)];
  }
  return std::pow(10.0, static_cast<double>(exponent));
}

/// The value of a number too large or too small for std::from_chars.
double beyond_range(const Parts& parts) {
  const auto digit = std::ranges::find_if(parts.whole, [](char c) { return c != '0'; });
  const std::int64_t magnitude =
      digit != parts.whole.end()
          ? parts.whole.end() - digit
          : parts.fraction.begin() - std::ranges::find_if(parts.fraction, [](char c) { return c != '0'; });
  return magnitude + parts.exponent > 0 ? infinity : 0.0;
}

double magnitude(std::string_view unsigned_word, const Parts& parts) {
  double value = 0;
  const auto [end, error] = std::from_chars(unsigned_word.data(), unsigned_word.data() + unsigned_word.size(), value);
  return error == std::errc::result_out_of_range ? beyond_range(parts) : value;
}

/// The values of words without digits: PyTorch's, numpy's and Nx's.
std::optional<double> named_value(std::string_view unsigned_word) {
  struct Named {
    std::string_view word;
    double value;
  };
  constexpr auto names = std::to_array<Named>({{"inf", infinity},
                                               {"Inf", infinity},
                                               {"nan", not_a_number},
                                               {"NaN", not_a_number},
                                               {"True", 1.0},
                                               {"False", 0.0}});
  const auto* found = std::ranges::find(names, unsigned_word, &Named::word);
  return found == names.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace

std::optional<Cell> parse_cell(std::string_view word) {
  const bool negative = word.starts_with('-');
  std::string_view digits = word;
  digits.remove_prefix(!word.empty() && is_sign(word.front()) ? 1 : 0);
  if (const std::optional<double> named = named_value(digits)) {
    return Cell{word, negative ? -*named : *named, 0};
  }
  const bool begins_number = !digits.empty() && (text::is_digit(digits.front()) || digits.front() == '.');
  if (!begins_number || std::ranges::none_of(digits, text::is_digit)) {
    return std::nullopt;
  }
  const Parts parts = split(digits);
  const bool is_imaginary = parts.rest == "j";  // the second number of "0.5403+0.8415j"
  if ((!parts.rest.empty() && !is_imaginary) || (parts.whole.empty() && parts.fraction.empty())) {
    return Cell{word, not_a_number, 0};
  }
  const double value = magnitude(digits, parts);
  const auto decimals = static_cast<std::int64_t>(parts.fraction.size());
  return Cell{word, negative ? -value : value, power_of_ten(parts.exponent - decimals)};
}

bool is_truth(const Cell& cell) { return cell.text == "True" || cell.text == "False"; }

std::size_t cell_length(std::string_view text) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '.' && text.substr(end).starts_with("...")) {
      break;
    }
    const bool sign = is_sign(c) && (end == 0 || is_exponent_mark(text, end - 1));
    if (!sign && !text::is_digit(c) && !text::is_letter(c) && c != '.' && c != '_') {
      break;
    }
  }
  return end;
}

}  // namespace attn::verify
