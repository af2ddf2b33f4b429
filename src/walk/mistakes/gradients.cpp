#include <algorithm>
#include <span>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes/subjects.hpp"

namespace attn {
namespace {

constexpr const char* softmax_gradient_line = "(grad - (grad * weights).sum(dim=-1, keepdim=True)) * weights";
constexpr const char* loss_line = "loss = ((context_vecs - target) ** 2).sum() / 2; grad = context_vecs - target";

/// Returns true for context_vecs - target, the gradient of the loss.
bool is_loss_gradient(const Tensor& tensor) {
  return tensor.is_without_grad() && tensor.kind() == Kind::subtracted && weighs_values(tensor.operands()[0]);
}

Tensor without_row_sum(const Tensor&, const Tensor& is) { return multiply(is.operands()[0], is.operands()[1]); }

/// Subtracts the plain mean of a row, not the one weighted with the weights.
Tensor less_plain_mean(const Tensor& was, const Tensor& is) {
  const Tensor& gradients = is.operands()[0];
  const Tensor mean = divide(sum(gradients, true), static_cast<double>(was.size(-1)), "");
  return multiply(subtract(gradients, mean), is.operands()[1]);
}

Tensor not_scaled(const Tensor& was, const Tensor& is) {
  const bool is_gradient = was.operation().facts().root_of > 0 && was.operands()[0].kind() == Kind::softmax_gradient;
  return is_gradient ? is.operands()[0] : is;
}

/// Leaves out the transposition of a first factor that `is_such`, where it is square.
template <class IsSuch>
Rewriter::Rule not_transposed(IsSuch is_such) {
  return for_each(Kind::matmul, [is_such](const Tensor& was, const Tensor& is) {
    const Tensor& first = was.operands()[0];
    const bool fits =
        first.kind() == Kind::transpose && is_such(first.operands()[0]) && was.shape()[0] == first.size(1);
    const Tensor& factor = is.operands()[0];
    return !fits ? is : matmul(factor.kind() == Kind::transpose ? factor.operands()[0] : t(factor), is.operands()[1]);
  });
}

/// The gradient of another loss: of the right one, times a factor.
Rewriter::Rule with_loss_gradient(double (*factor)(const Tensor& gradient)) {
  return [factor](const Tensor& was, const Tensor& is) {
    return is_loss_gradient(was) ? divide(is, 1 / factor(was), "") : is;
  };
}

bool are_weights(const Tensor& tensor) { return tensor.kind() == Kind::softmax; }
bool are_masked_scores(const Tensor& tensor) { return tensor.kind() == Kind::masked; }

constexpr MistakeRow usual_gradient_rows[] = {
    {"no-row-sum", "the gradient of softmax leaves out the row's sum of gradients times weights", softmax_gradient_line,
     each<Kind::softmax_gradient, without_row_sum>},
    {"unscaled-gradient", "the gradient of the scores is not divided by the square root of the keys' dimension",
     "grad_scaled_attn_scores / keys.shape[-1]**0.5", always<not_scaled>},
    {"untransposed-weights", "the weights are not transposed in the gradient of the values",
     "attn_weights.T @ grad_context_vecs", [](Steps) { return not_transposed(are_weights); }},
    {"untransposed-scores", "the gradient of the scores is not transposed in the gradient of the keys",
     "grad_attn_scores.T @ queries", [](Steps) { return not_transposed(are_masked_scores); }},
};

constexpr MistakeRow further_gradient_rows[] = {
    {"plain-row-mean", "the gradient of softmax subtracts the row's plain mean, not its weighted one",
     softmax_gradient_line, each<Kind::softmax_gradient, less_plain_mean>},
    {"gradient-doubled", "the gradient of the loss is twice as large: of a sum of squares that is not halved",
     loss_line, [](Steps) { return with_loss_gradient([](const Tensor&) { return 2.0; }); }},
    {"gradient-of-mean", "the gradient of the loss is divided by the number of errors: of a mean, not of a sum",
     loss_line,
     [](Steps) {
       return with_loss_gradient(
           [](const Tensor& gradient) { return 1.0 / static_cast<double>(element_count(gradient.shape())); });
     }},
    {"gradient-of-mean-square",
     "the gradient of the loss is that of the mean square: twice as large, divided by the number of errors", loss_line,
     [](Steps) {
       return with_loss_gradient(
           [](const Tensor& gradient) { return 2.0 / static_cast<double>(element_count(gradient.shape())); });
     }},
    {"gradient-negated", "the gradient of the loss is target - context_vecs: negated", loss_line,
     [](Steps) { return with_loss_gradient([](const Tensor&) { return -1.0; }); }},
};

}  // namespace

std::span<const MistakeRow> gradient_mistakes_in() { return usual_gradient_rows; }
std::span<const MistakeRow> gradient_mistakes() { return further_gradient_rows; }

}  // namespace attn
