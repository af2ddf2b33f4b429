#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#define FMT_HEADER_ONLY
#include <fast_float/fast_float.h>
#include <fmt/format.h>

namespace std {
namespace {

/// The least digits that are read as the number again, the nearest of these: d.ddd * 10^exponent.
struct Shortest {
  string digits;
  int exponent = 0;
};

/// value is positive and finite.
template <class Float>
Shortest shortest(Float value) {
  const string text = fmt::format("{}", value);  // "123.4", "1.5e-07"
  const size_t e = min(text.find('e'), text.size());
  const size_t point = min(text.find('.'), e);
  Shortest result;
  result.exponent = static_cast<int>(point) - 1 + (e < text.size() ? stoi(text.substr(e + 1)) : 0);
  result.digits = text.substr(0, point) + (point < e ? text.substr(point + 1, e - point - 1) : "");
  const size_t zeros = min(result.digits.find_first_not_of('0'), result.digits.size() - 1);
  result.digits.erase(0, zeros);
  result.exponent -= static_cast<int>(zeros);
  result.digits.erase(max<size_t>(1, result.digits.find_last_not_of('0') + 1));
  return result;
}

string scientific(const Shortest& number) {
  const string rest = number.digits.substr(1);
  return number.digits[0] + (rest.empty() ? "" : "." + rest) + fmt::format("e{:+03d}", number.exponent);
}

/// A whole number of more digits than are told has its own.
template <class Float>
string fixed(Float value, const Shortest& number) {
  const auto size = static_cast<int>(number.digits.size());
  if (number.exponent >= size - 1) {
    return fmt::format("{:.0f}", value);
  }
  if (number.exponent < 0) {
    return "0." + string(static_cast<size_t>(-number.exponent - 1), '0') + number.digits;
  }
  const auto whole = static_cast<size_t>(number.exponent) + 1;
  return number.digits.substr(0, whole) + "." + number.digits.substr(whole);
}

/// As std::to_chars; without a format, the shorter of both.
template <class Float>
string text_of(Float value, bool may_be_fixed, bool may_be_scientific) {
  if (!isfinite(value)) {
    return fmt::format("{}", value);
  }
  const string sign = signbit(value) ? "-" : "";
  if (value == 0) {
    return sign + (may_be_fixed ? "0" : "0e+00");
  }
  const Shortest number = shortest(abs(value));
  const string plain = may_be_fixed ? fixed(abs(value), number) : "";
  const string with_exponent = may_be_scientific ? scientific(number) : "";
  return sign + (may_be_fixed && (!may_be_scientific || plain.size() <= with_exponent.size()) ? plain : with_exponent);
}

to_chars_result written(char* first, char* last, string_view text) {
  if (last - first < static_cast<ptrdiff_t>(text.size())) {
    return {last, errc::value_too_large};
  }
  return {copy(text.begin(), text.end(), first), errc()};
}

}  // namespace

to_chars_result to_chars(char* first, char* last, double value) {
  return written(first, last, text_of(value, true, true));
}

to_chars_result to_chars(char* first, char* last, float value) {
  return written(first, last, text_of(value, true, true));
}

to_chars_result to_chars(char* first, char* last, double value, chars_format format) {
  return written(first, last, text_of(value, format != chars_format::scientific, format != chars_format::fixed));
}

to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision) {
  const char* const how = format == chars_format::fixed        ? "{:.{}f}"
                          : format == chars_format::scientific ? "{:.{}e}"
                                                               : "{:.{}g}";
  return written(first, last, fmt::format(fmt::runtime(how), value, precision));
}

from_chars_result from_chars(const char* first, const char* last, double& value, chars_format) {
  double read = 0;
  const auto [end, error] = fast_float::from_chars(first, last, read);
  if (error != errc()) {
    return {end, error};
  }
  const string_view text(first, static_cast<size_t>(end - first));
  const size_t digit = text.find_first_of("123456789");
  const bool is_zero = digit == string_view::npos || digit > text.find_first_of("eE");
  if ((isinf(read) && digit != string_view::npos) || (read == 0 && !is_zero)) {
    return {end, errc::result_out_of_range};
  }
  value = read;
  return {end, errc()};
}

}  // namespace std
