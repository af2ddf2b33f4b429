#include "lesson/derived.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/numbers.hpp"

namespace attn::render {

Derivation derived(const Tensor& tensor, const Shape& index) {
  const Operation& operation = tensor.operation();
  return operation.is_parameter() ? Derivation(Derivation::Rule::given) : operation.derive(tensor.operands(), index);
}

double value_of(const Tensor& tensor, const Element& element) {
  return tensor.operands()[element.operand].value(element.index);
}

std::optional<std::size_t> differing_axis(const Shape& first, const Shape& last) {
  const auto [in_first, in_last] = std::ranges::mismatch(first, last);
  return in_first == first.end() ? std::nullopt : std::optional(static_cast<std::size_t>(in_first - first.begin()));
}

std::string arithmetic_text(double value, int precision) {
  const double size = std::abs(value);
  const bool is_fixed = size == 0 || !std::isfinite(value) || (size >= 1e-4 && size < 1e6);
  const auto format = is_fixed ? std::chars_format::fixed : std::chars_format::scientific;
  return text::number_text(size == 0 ? 0 : value, format, precision + 2);
}

bool is_close(double a, double b) {
  const float x = static_cast<float>(a);
  const float y = static_cast<float>(b);
  return x == y || std::abs(x - y) <= 1e-08F + std::abs(1e-05F * y);
}

}  // namespace attn::render
