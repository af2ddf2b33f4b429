#include "tensor/words.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace attn {

std::string grouped(const std::string& expression) {
  int depth = 0;
  for (const char c : expression) {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ' ' && depth == 0) {
      return "(" + expression + ")";
    }
  }
  return expression;
}

std::string python_repr(double value) {
  // Python writes an exponent below 1e-4 and from 1e16 on.
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  const std::string text(digits.begin(), end);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

}  // namespace attn
