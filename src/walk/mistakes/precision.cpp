#include "walk/mistakes/subjects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

/// The nearest number with `bits` significant bits, ties to even.
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

/// Computes products from operands with `bits` significant bits, and rounds the result too if `is_result_rounded`.
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

/// Changes the weights and biases of projections; `change` gets the numbers, and whether they are a bias.
template <class Change>
Rewriter::Rule parameters_as(Change change) {
  return [change](const Tensor& was, const Tensor& is) {
    const bool has_parameters =
        was.kind() == Kind::linear || (was.kind() == Kind::matmul && was.operands()[1].kind() == Kind::parameter);
    if (!has_parameters) {
      return is;
    }
    std::vector<Tensor> operands = is.operands();
    for (std::size_t i = 1; i < operands.size(); ++i) {
      operands[i] = made_of(operands[i], [change, is_bias = i > 1](Numbers& numbers) { change(numbers, is_bias); });
    }
    return is.with_operands(std::move(operands));
  };
}

Rewriter::Rule parameters_of_digits(int digits) {
  return parameters_as([power = std::pow(10.0, digits)](Numbers& numbers, bool) {
    std::ranges::transform(numbers, numbers.begin(),
                           [power](float one) { return static_cast<float>(std::round(one * power) / power); });
  });
}

Rewriter::Rule parameters_of_bits(int bits) {
  return parameters_as([bits](Numbers& numbers, bool) {
    std::ranges::transform(numbers, numbers.begin(), [bits](float one) { return rounded_to(one, bits); });
  });
}

/// Symmetric 8-bit quantisation: as many levels below 0 as above.
void quantise(std::span<float> numbers) {
  const float most = std::abs(*std::ranges::max_element(numbers, {}, [](float one) { return std::abs(one); }));
  std::ranges::for_each(numbers,
                        [step = most / 127](float& one) { one = step == 0 ? 0 : std::round(one / step) * step; });
}

Rewriter::Rule weights_in(int bits) {
  return for_each(Kind::softmax, [bits](const Tensor&, const Tensor& is) { return rounded(is, bits); });
}

Rewriter::Rule scores_in(int bits) {
  return for_each(Kind::softmax, [bits](const Tensor&, const Tensor& is) {
    return with_first_operand(is, rounded(is.operands()[0], bits));
  });
}

constexpr MistakeRow precision_rows[] = {
    {"float16-product", "this product is computed in float16", "float32", [](Steps) { return product_in(11, true); }},
    {"bfloat16-product", "this product is computed in bfloat16", "float32", [](Steps) { return product_in(8, true); }},
    {"float16-operands", "the operands of this product are float16, or TF32", "float32",
     [](Steps) { return product_in(11, false); }},
    {"bfloat16-operands", "the operands of this product are bfloat16", "float32",
     [](Steps) { return product_in(8, false); }},
    {"float16-weights", "the weights are rounded to float16", "float32", [](Steps) { return weights_in(11); }},
    {"bfloat16-weights", "the weights are rounded to bfloat16", "float32", [](Steps) { return weights_in(8); }},
    {"float16-scores", "the scores are rounded to float16 before softmax", "float32",
     [](Steps) { return scores_in(11); }},
    {"bfloat16-scores", "the scores are rounded to bfloat16 before softmax", "float32",
     [](Steps) { return scores_in(8); }},
    {"int8-weights", "the weights are int8: quantised to 8 bits", "float32",
     [](Steps) {
       return parameters_as([](Numbers& numbers, bool is_bias) {
         if (!is_bias) {
           quantise(numbers);
         }
       });
     }},
    {"float16-inputs", "the inputs are rounded to float16", "float32",
     [](Steps) { return with_inputs([](const Tensor& x) { return rounded(x, 11); }); }, true},
    {"bfloat16-inputs", "the inputs are rounded to bfloat16", "float32",
     [](Steps) { return with_inputs([](const Tensor& x) { return rounded(x, 8); }); }, true},
    {"float16-parameters", "weights and biases are stored in float16", "float32",
     [](Steps) { return parameters_of_bits(11); }},
    {"bfloat16-parameters", "weights and biases are stored in bfloat16", "float32",
     [](Steps) { return parameters_of_bits(8); }},
};

}  // namespace

std::vector<Mistake> precision_mistakes() {
  std::vector<Mistake> table = made(precision_rows, {});
  for (const int digits : {1, 2, 3, 4, 5}) {
    table.push_back(
        {"parameters-rounded",
         "weights and biases are rounded to " + std::to_string(digits) + (digits == 1 ? " decimal" : " decimals"),
         "full precision", parameters_of_digits(digits)});
  }
  return table;
}

}  // namespace attn
