#include "tensor/words.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace attn {

std::string grouped(const std::string& expression) {
  int depth = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ' ' && depth == 0 && i + 1 < expression.size() &&
        std::string_view("+-*/@=!<>&|^").find(expression[i + 1]) != std::string_view::npos) {
      return "(" + expression + ")";
    }
  }
  return expression;
}

std::string axes_before(std::int64_t axis) {
  std::string words = axis < 0 ? "..., " : "";
  for (std::int64_t i = 0; i < axis; ++i) {
    words += ":, ";
  }
  return words;
}

std::string listed(const std::vector<std::string>& operands) {
  std::string list;
  for (const std::string& operand : operands) {
    list += (list.empty() ? "" : ", ") + operand;
  }
  return list;
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
