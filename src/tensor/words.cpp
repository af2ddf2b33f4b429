#include "tensor/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

std::string filled(std::string_view words, const std::vector<std::string>& operands) {
  std::string text;
  while (!words.empty()) {
    const std::size_t end = words.starts_with('{') ? words.find('}') : std::string_view::npos;
    const std::string_view place = end == std::string_view::npos ? words.substr(0, 1) : words.substr(0, end + 1);
    const bool is_grouped = place.size() == 5 && place[1] == '(';
    const auto operand = static_cast<std::size_t>((is_grouped ? place[2] : place.size() == 3 ? place[1] : '\0') - 'a');
    if (place == "{all}") {
      text += listed(operands);
    } else if (operand < operands.size()) {
      text += is_grouped ? grouped(operands[operand]) : operands[operand];
    } else {
      text += place;
    }
    words.remove_prefix(place.size());
  }
  return text;
}

std::optional<std::vector<Need>> Pointwise::needs(const std::vector<Tensor>& operands, Box& part) const {
  std::vector<Need> each;
  for (const Tensor& operand : operands) {
    Box box(part.end() - operand.dim(), part.end());
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      box[axis] = operand.shape()[axis] == 1 ? Range{0, 1} : box[axis];
    }
    each.push_back({std::move(box)});
  }
  return each;
}

Derivation Moved::derive(const std::vector<Tensor>& operands, const Shape& index) const {
  Box place = box_at(index);
  return Derivation(Derivation::Rule::copy, {0, box_begin(needs(operands, place)->at(0).box)});
}

}  // namespace attn
