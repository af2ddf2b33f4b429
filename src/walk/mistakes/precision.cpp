#include "walk/mistakes/subjects.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

/// The nearest number with so many significant bits, ties to even.
float rounded_to(float value, int bits) {
  int exponent = 0;
  const float scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(scaled), exponent - bits) : value;
}

Tensor rounded(const Tensor& x, int bits) {
  return x.dtype() != DType::float32 ? x : made_of(x, [bits](Numbers& numbers) {
    std::ranges::transform(numbers, numbers.begin(), [bits](float value) { return rounded_to(value, bits); });
  });
}

/// One product, its operands and its result in a format.
Rewriter::Rule product_in(int bits, bool is_result_rounded) {
  return [bits, is_result_rounded](const Tensor& was, const Tensor& is) {
    if (!is_product(was)) {
      return is;
    }
    std::vector<Tensor> operands;
    std::ranges::transform(is.operands(), std::back_inserter(operands),
                           [bits](const Tensor& operand) { return rounded(operand, bits); });
    const Tensor product = is.with_operands(std::move(operands));
    return is_result_rounded ? rounded(product, bits) : product;
  };
}

Rewriter::Rule weights_in(int bits) {
  return for_each(Kind::softmax, [bits](const Tensor&, const Tensor& is) { return rounded(is, bits); });
}

}  // namespace

std::vector<Mistake> precision_mistakes() {
  return {
      {"float16-product", "this product is computed in float16", "float32", product_in(11, true)},
      {"bfloat16-product", "this product is computed in bfloat16", "float32", product_in(8, true)},
      {"float16-operands", "the operands of this product are float16", "float32", product_in(11, false)},
      {"bfloat16-operands", "the operands of this product are bfloat16", "float32", product_in(8, false)},
      {"float16-weights", "the weights are rounded to float16", "float32", weights_in(11)},
      {"bfloat16-weights", "the weights are rounded to bfloat16", "float32", weights_in(8)},
  };
}

}  // namespace attn
