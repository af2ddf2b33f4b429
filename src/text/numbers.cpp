#include "text/numbers.hpp"

#include <array>
#include <cmath>

namespace attn::text {
namespace {

/// Buffer size for a double in any format with a few dozen decimals.
using Buffer = std::array<char, 400>;

template <class Number>
std::string shortest(Number value) {
  Buffer buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace

std::string number_text(double value, std::chars_format format, int digits) {
  Buffer buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits).ptr};
}

std::string number_text(double value) {
  const double size = std::abs(value);
  const bool is_middling = size == 0 || !std::isfinite(value) || (size >= 1e-3 && size < 1e5);
  return number_text(value, is_middling ? std::chars_format::fixed : std::chars_format::scientific, 4);
}

std::string factor_text(double value) { return number_text(value, std::chars_format::general, 5); }

std::string shortest_text(float value) { return shortest(value); }

std::string shortest_text(double value) { return shortest(value); }

std::string shortest_text(std::int64_t value) { return shortest(value); }

std::string float_text(float value) {
  std::string text = shortest(value);
  const std::optional<double> read = number_of<double>(text);
  return std::isnan(value) || (read && static_cast<float>(*read) == value) ? text
                                                                           : shortest(static_cast<double>(value));
}

}  // namespace attn::text
