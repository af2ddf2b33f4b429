#include <cmath>
#include <iterator>
#include <numbers>
#include <string>
#include <string_view>

#include "verify/causes/mistakes.hpp"

namespace attn {
namespace {

// ---- Precision --------------------------------------------------------------------------------------

/// The nearest number with `bits` significant bits, ties to even.
float rounded_to(float value, int bits) {
  int exponent = 0;
  const float scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(scaled), exponent - bits) : value;
}

template <int bits>
Tensor rounded(const Tensor& x) {
  return x.dtype() != DType::float32 ? x : made_of(x, [](Numbers& numbers) {
    std::ranges::transform(numbers, numbers.begin(), [](float value) { return rounded_to(value, bits); });
  });
}

/// Computes products from rounded operands.
template <int bits>
Tensor product_in(const Tensor& was, const Tensor& is) {
  if (!is_product(was)) {
    return is;
  }
  std::vector<Tensor> operands;
  std::ranges::transform(is.operands(), std::back_inserter(operands), rounded<bits>);
  return is.with_operands(std::move(operands));
}

template <int bits>
Tensor scores_in(const Tensor&, const Tensor& is) {
  return with_first_operand(is, rounded<bits>(is.operands()[0]));
}

/// Changes the numbers of weights and, unless only weights are meant, of biases.
template <class Change>
Rewriter::Rule parameters_as(Change change, bool are_weights_alone = false) {
  return [change, are_weights_alone](const Tensor& was, const Tensor& is) {
    if (!projects_inputs(was) && was.kind() != Kind::linear) {
      return is;
    }
    std::vector<Tensor> operands = is.operands();
    for (std::size_t i = 1; i < (are_weights_alone ? 2 : operands.size()); ++i) {
      operands[i] = made_of(operands[i], change);
    }
    return is.with_operands(std::move(operands));
  };
}

Rewriter::Rule parameters_of_digits(int digits) {
  return parameters_as([power = std::pow(10.0, digits)](Numbers& numbers) {
    std::ranges::transform(numbers, numbers.begin(),
                           [power](float one) { return static_cast<float>(std::round(one * power) / power); });
  });
}

/// Symmetric 8-bit quantisation: as many levels below 0 as above.
void quantise(Numbers& numbers) {
  const float step = std::abs(std::ranges::max(numbers, {}, [](float one) { return std::abs(one); })) / 127;
  std::ranges::for_each(numbers, [step](float& one) { one = step == 0 ? 0 : std::round(one / step) * step; });
}

constexpr MistakeRow number_rows[] = {
    {"float16-operands", "the operands of this product are float16, or TF32", "float32", always<product_in<11>>},
    {"bfloat16-operands", "the operands of this product are bfloat16", "float32", always<product_in<8>>},
    {"float16-scores", "the scores are rounded to float16 before softmax", "float32",
     each<Kind::softmax, scores_in<11>>},
    {"bfloat16-scores", "the scores are rounded to bfloat16 before softmax", "float32",
     each<Kind::softmax, scores_in<8>>},
    {"float16-inputs", "the inputs are rounded to float16", "float32", [](Steps) { return with_inputs(rounded<11>); }},
    {"int8-weights", "the weights are int8: quantised to 8 bits", "float32",
     [](Steps) { return parameters_as(quantise, true); }},
};

// ---- Functions of each number -----------------------------------------------------------------------

constexpr Function known[] = {
    {"relu", "a relu", [](double x) { return std::max(x, 0.0); }, true},
    {"tanh", "tanh", [](double x) { return std::tanh(x); }},
    {"gelu", "GELU", [](double x) { return x * std::erfc(-x / std::numbers::sqrt2) / 2; }},
    {"gelu", "GELU, by its tanh formula,",
     [](double x) { return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))); }},
    {"silu", "SiLU", [](double x) { return x / (1 + std::exp(-x)); }},
    {"elu-plus-1", "ELU + 1", [](double x) { return x > 0 ? x + 1 : std::exp(x); }},
    {"sigmoid", "a sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"exp", "exp", [](double x) { return std::exp(x); }},
    {"square", "a square", [](double x) { return x * x; }},
    {"root", "a square root", [](double x) { return std::sqrt(x); }},
    {"absolute", "an absolute value", [](double x) { return std::abs(x); }, true},
};

/// The function of each number but -inf, which hides a score.
Tensor applied(const Tensor& x, const Function& function) {
  return made_of(x, [of = function.of](Numbers& numbers) {
    std::ranges::transform(numbers, numbers.begin(), [of](float one) {
      return one == -infinity ? one : static_cast<float>(of(static_cast<double>(one)));
    });
  });
}

}  // namespace

std::span<const Function> functions() { return known; }

std::vector<Mistake> number_mistakes() {
  std::vector<Mistake> table = made(number_rows, {});
  for (const int digits : {1, 2, 3, 4, 5}) {
    table.push_back({"parameters-rounded", "weights and biases are rounded to " + std::to_string(digits) + " decimals",
                     "full precision", parameters_of_digits(digits)});
  }
  for (const Function& function : known) {
    const std::string name = function.name;
    const std::string is_applied = std::string(function.words) + " is applied to ";
    if (!function.is_identity_above_0) {
      table.push_back({name + "-of-weights", is_applied + "the weights before the product with the values", values_line,
                       [function](const Tensor& was, const Tensor& is) {
                         return weighs_values(was) ? with_first_operand(is, applied(is.operands()[0], function)) : is;
                       }});
    }
    if (name != "root") {  // of what may be below 0
      table.push_back({name + "-of-scores", is_applied + "the scores before softmax", softmax_line,
                       for_each(Kind::softmax, [function](const Tensor&, const Tensor& is) {
                         return softmax(applied(is.operands()[0], function));
                       })});
    }
  }
  return table;
}

}  // namespace attn
