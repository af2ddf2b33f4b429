#include "walk/functions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes/subjects.hpp"

namespace attn {
namespace {

constexpr Function known[] = {
    {"relu", "a relu", [](double x) { return std::max(x, 0.0); }, true},
    {"leaky-relu", "a leaky relu of slope 0.01", [](double x) { return x < 0 ? 0.01 * x : x; }, true},
    {"leaky-relu", "a leaky relu of slope 0.2", [](double x) { return x < 0 ? 0.2 * x : x; }, true},
    {"tanh", "tanh", [](double x) { return std::tanh(x); }},
    {"gelu", "GELU", [](double x) { return x * std::erfc(-x / std::numbers::sqrt2) / 2; }},
    {"gelu", "GELU, by its tanh formula,",
     [](double x) { return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))); }},
    {"silu", "SiLU", [](double x) { return x / (1 + std::exp(-x)); }},
    {"elu-plus-1", "ELU + 1", [](double x) { return x > 0 ? x + 1 : std::exp(x); }},
    {"sigmoid", "a sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"exp", "exp", [](double x) { return std::exp(x); }},
    {"log", "log", [](double x) { return std::log(x); }, false, true},
    {"square", "a square", [](double x) { return x * x; }},
    {"cube", "a cube", [](double x) { return x * x * x; }},
    {"root", "a square root", [](double x) { return std::sqrt(x); }, false, true},
    {"absolute", "an absolute value", [](double x) { return std::abs(x); }, true},
    {"negative", "a change of sign", [](double x) { return -x; }},
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

std::vector<Mistake> function_mistakes() {
  std::vector<Mistake> mistakes;
  for (const Function& function : known) {
    const auto add = [&](const std::string& place, const std::string& words, const char* line, Rewriter::Rule rule) {
      mistakes.push_back({std::string(function.name) + "-of-" + place,
                          std::string(function.words) + " is applied to " + words, line, std::move(rule), true});
    };
    if (!function.is_identity_above_0) {
      add("weights", "the weights before the product with the values", values_line,
          [function](const Tensor& was, const Tensor& is) {
            return weighs_values(was) ? with_first_operand(is, applied(is.operands()[0], function)) : is;
          });
    }
    if (function.is_of_positive) {
      continue;
    }
    add("scores", "the scores before softmax", softmax_line,
        for_each(Kind::softmax,
                 [function](const Tensor&, const Tensor& is) { return softmax(applied(is.operands()[0], function)); }));
    add("products", "the products of queries and keys", scores_line,
        [function](const Tensor& was, const Tensor& is) { return meets_keys(was) ? applied(is, function) : is; });
    add("projections", "the results of projections", bias_line,
        [function](const Tensor& was, const Tensor& is) { return projects_inputs(was) ? applied(is, function) : is; });
  }
  return mistakes;
}

}  // namespace attn
