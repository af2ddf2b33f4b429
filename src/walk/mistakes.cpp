#include "walk/mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "tensor/operations.hpp"
#include "torch/torch.hpp"

namespace attn {

namespace {

/// Returns true for weights of tokens, from which a sink's column was dropped.
bool drops_sink(const Tensor& tensor) {
  const bool is_of_softmax = tensor.kind() == Kind::slice && tensor.operands()[0].kind() == Kind::softmax;
  return is_of_softmax && has_sink(tensor.operands()[0].operands()[0]);
}

// ---- Scores ---------------------------------------------------------------------------------------

/// Returns true for softmax of scores that are not scaled.
bool is_of_unscaled(const Tensor& weights) {
  const Tensor* at = &weights;
  while ((at->kind() == Kind::softmax || at->kind() == Kind::masked) && !at->operands().empty()) {
    at = &at->operands()[0];
  }
  return weights.kind() == Kind::softmax && at->kind() != Kind::scaled;
}

/// Neither scores are scaled nor, where they are not, their gradients.
Tensor unscaled(const Tensor& was, const Tensor& is) {
  if (was.operation().facts().root_of == 0) {
    return is;
  }
  const Tensor& scores = is.operands()[0];
  const bool is_gradient = was.operands()[0].kind() == Kind::softmax_gradient;
  const bool is_right =
      is_gradient && (scores.kind() != Kind::softmax_gradient || !is_of_unscaled(scores.operands()[1]));
  return is_right ? is : scores;
}

// ---- Masks ----------------------------------------------------------------------------------------

/// Masks fewer queries than keys as if the queries were the first tokens.
Tensor masked_from_first_key(const Tensor& was, const Tensor& is) {
  const bool are_fewer = hides(was) && was.dim() >= 2 && was.operands()[1].dim() == 2 && was.size(-2) < was.size(-1);
  return are_fewer ? masked_fill(is.operands()[0], torch::mask_above(was.size(-2), was.size(-1), 1), -infinity) : is;
}

/// Masks neither scores with -inf nor weights, or gradients of scores, with 0.
Tensor unmasked(const Tensor& was, const Tensor& is) {
  const bool zeroes =
      was.kind() == Kind::multiplied && was.operands()[1].operands().empty() && !was.operands()[0].operands().empty();
  const bool stops_gradients = was.kind() == Kind::masked && was.operation().facts().value == 0;
  return hides(was) || zeroes || stops_gradients ? is.operands()[0] : is;
}

/// The mask of masked scores, which may then be scaled.
std::optional<Tensor> mask_of(const Tensor& scores) {
  if (hides(scores)) {
    return scores.operands()[1];
  }
  return scores.kind() == Kind::scaled || has_sink(scores) ? mask_of(scores.operands()[0]) : std::nullopt;
}

Tensor masked_after_softmax(const Tensor& was, const Tensor& is) {
  if (hides(was)) {
    return is.operands()[0];
  }
  const Tensor* const softmax = softmax_of_weights(was);
  const auto mask = softmax != nullptr ? mask_of(softmax->operands()[0]) : std::nullopt;
  if (!mask) {
    return is;
  }
  is.set_name("unmasked_attn_weights");
  return masked_fill(is, *mask, 0);
}

/// Returns true for scores where each entry of the batch has its own mask.
bool hides_by_entry(const Tensor& tensor) { return hides(tensor) && tensor.operands()[1].dim() == 3; }

/// Masks every entry of a batch as the first one is.
Tensor masked_by_first_entry(const Tensor& was, const Tensor& is) {
  return hides_by_entry(was) ? masked_fill(is.operands()[0], index(is.operands()[1], 0), -infinity) : is;
}

/// Masks not only the columns of hidden tokens but also their rows.
Tensor masked_both_ways(const Tensor& was, const Tensor& is) {
  if (!hides_by_entry(was)) {
    return is;
  }
  const Tensor mask = leaf(was.operands()[1].shape(), DType::boolean, "(mask | mask.transpose(1, 2))",
                           [columns = is.operands()[1], n = was.size(-1)] {
                             const Block<bool> before = std::get<Block<bool>>(*columns.array().contents());
                             Block<bool> both = before;
                             for (std::int64_t i = 0; i < static_cast<std::int64_t>(both.size()); ++i) {
                               const std::int64_t mirrored = i / (n * n) * n * n + i % n * n + i / n % n;
                               both[static_cast<std::size_t>(i)] |= before[static_cast<std::size_t>(mirrored)];
                             }
                             return Contents(both);
                           });
  return masked_fill(is.operands()[0], mask, -infinity);
}

Tensor without_sink(const Tensor& was, const Tensor& is) {
  const bool is_whole = drops_sink(was) && is_made_alike(was.operands()[0], is.operands()[0]) &&
                        is_made_alike(was.operands()[0].operands()[0], is.operands()[0].operands()[0]);
  return is_whole ? softmax(is.operands()[0].operands()[0].operands()[0]) : is;
}

// ---- Blocks, dropout, heads -------------------------------------------------------------------------

/// Keeps what earlier blocks summed as it is; multiplied by the exponential of the maximum's change would be right.
Tensor not_block_rescaled(const Tensor& was, const Tensor& is) {
  return was.operands()[1].kind() == Kind::exp ? is.operands()[0] : is;
}

Tensor not_rescaled(const Tensor& was, const Tensor& is) {
  if (was.name() == "scale") {
    return torch::ones({});
  }
  return was.kind() == Kind::dropout ? kept(is.operands()[0], is.operands()[1]) : is;
}

/// keys.repeat(1, n, 1, 1): head 0, head 1, head 0, head 1.
Tensor tiled(const Tensor& was, const Tensor& is) {
  const std::int64_t axis = was.operation().facts().axis;
  if (axis != 1) {
    return is;  // no heads
  }
  const Tensor& x = is.operands()[0];
  return cat(std::vector<Tensor>(static_cast<std::size_t>(is.size(axis) / x.size(axis)), x), axis);
}

// ---- Gradients ------------------------------------------------------------------------------------

Tensor without_row_sum(const Tensor&, const Tensor& is) { return multiply(is.operands()[0], is.operands()[1]); }

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

bool are_weights(const Tensor& tensor) { return tensor.kind() == Kind::softmax; }
bool are_masked_scores(const Tensor& tensor) { return tensor.kind() == Kind::masked; }

constexpr MistakeRow what_if_rows[] = {
    {"no-scaling", "the scores are not divided by the square root of the keys' dimension", scaling_line,
     always<unscaled>},
    {"no-mask", "nothing is masked: tokens see what the mask would hide", mask_line, always<unmasked>},
    {"mask-after-softmax", "weights are masked with 0 after softmax, instead of scores with -inf before it", mask_line,
     always<masked_after_softmax>},
    {"mask-from-first-key", "the mask counts the new queries from the first key, not from the last",
     "torch.triu(torch.ones(m, n), diagonal=n - m + 1)", always<masked_from_first_key>},
    {"mask-of-first-entry", "the mask of the first sequence is used for the whole batch",
     "attn_scores.masked_fill(mask, -torch.inf), with a mask for each sequence", always<masked_by_first_entry>},
    {"mask-padded-queries", "the queries of padding are masked as well as its keys",
     "attn_scores.masked_fill(mask, -torch.inf), with whole columns in mask", always<masked_both_ways>},
    {"softmax-dim-0", "softmax is taken over dim 0, not over the last axis", softmax_line,
     [](Steps) { return softmax_along(0); }},
    {"same-weights", "keys are computed with W_query, not with W_key", "keys = x @ W_key",
     [](Steps steps) {
       return made_with(steps, {0, 0, 2});
     }},
    {"no-rescale", "kept entries are not multiplied by 1 / (1 - p)", dropout_line, always<not_rescaled>},
    {"tiled-heads", "heads of keys and values are repeated as 0, 1, 0, 1, not as 0, 0, 1, 1",
     "keys.repeat_interleave(group_size, dim=1)", each<Kind::repeat, tiled>},
    {"no-block-rescale", "sums of earlier blocks are not rescaled when a block raises the maximum",
     "row_sum * torch.exp(row_max - new_row_max)", each<Kind::multiplied, not_block_rescaled>},
    {"no-sink", "the sink is left out of softmax: a row of weights sums to 1",
     "torch.softmax(torch.cat([attn_scores, sinks], dim=-1), dim=-1)[..., :-1]", always<without_sink>},
    {"no-row-sum", "the gradient of softmax leaves out the row's sum of gradients times weights",
     "(grad - (grad * weights).sum(dim=-1, keepdim=True)) * weights", each<Kind::softmax_gradient, without_row_sum>},
    {"unscaled-gradient", "the gradient of the scores is not divided by the square root of the keys' dimension",
     "grad_scaled_attn_scores / keys.shape[-1]**0.5", always<not_scaled>},
    {"untransposed-weights", "the weights are not transposed in the gradient of the values",
     "attn_weights.T @ grad_context_vecs", [](Steps) { return not_transposed(are_weights); }},
    {"untransposed-scores", "the gradient of the scores is not transposed in the gradient of the keys",
     "grad_attn_scores.T @ queries", [](Steps) { return not_transposed(are_masked_scores); }},
};

}  // namespace

Mistake made(const MistakeRow& row, Steps steps) {
  return {std::string(row.name), std::string(row.sentence), std::string(row.instead), row.rule(steps)};
}

std::vector<std::span<const MistakeRow>> what_if_mistakes() { return {what_if_rows, position_rows()}; }

Mistake mistake_of(std::string_view name, Steps steps) {
  for (const std::span<const MistakeRow> table : what_if_mistakes()) {
    const auto row = std::ranges::find(table, name, &MistakeRow::name);
    if (row != table.end()) {
      return made(*row, steps);
    }
  }
  throw std::logic_error("no mistake is called so");
}

bool hides(const Tensor& tensor) {
  return tensor.kind() == Kind::masked && std::isinf(tensor.operation().facts().value);
}

bool is_product(const Tensor& tensor) { return tensor.kind() == Kind::matmul || tensor.kind() == Kind::linear; }

bool projects_inputs(const Tensor& was) {
  return (was.kind() == Kind::linear && was.operands()[0].kind() != Kind::view) ||
         (was.kind() == Kind::matmul && was.operands()[1].kind() == Kind::parameter);
}

bool weighs_values(const Tensor& tensor) {
  const auto is_weights = [](Kind kind) {
    return kind == Kind::softmax || kind == Kind::dropout || kind == Kind::divided;
  };
  return tensor.kind() == Kind::matmul && (is_weights(tensor.operands()[0].kind()) || drops_sink(tensor.operands()[0]));
}

bool has_sink(const Tensor& scores) {
  const bool is_cat = scores.kind() == Kind::cat && scores.operands().size() == 2 && scores.dim() == 4;
  return is_cat && scores.operands()[1].size(-1) == 1 && scores.operands()[0].size(-1) + 1 == scores.size(-1);
}

const Tensor* softmax_of_weights(const Tensor& tensor) {
  if (drops_sink(tensor)) {
    return &tensor.operands()[0];
  }
  return tensor.kind() == Kind::softmax && !has_sink(tensor.operands()[0]) ? &tensor : nullptr;
}

Numbers numbers_of(const Tensor& tensor) {
  return std::visit([](const auto& block) { return Numbers(block.begin(), block.end()); }, *tensor.array().contents());
}

Rewriter::Rule softmax_along(std::int64_t axis) {
  return for_each(Kind::softmax, [axis](const Tensor& was, const Tensor& is) {
    return axis < was.dim() - 1 ? softmax_over(is.operands()[0], axis) : is;
  });
}

Rewriter::Rule made_with(Steps steps, std::array<std::size_t, 3> source) {
  struct Projection {
    std::optional<Tensor> weight;
    std::optional<Tensor> bias;
  };
  constexpr std::array<const char*, 3> projections = {"W_query", "W_key", "W_value"};
  std::map<std::string, std::array<Projection, 3>> by_section;
  std::map<const void*, std::pair<std::string, std::size_t>> whose;
  for (const Step& step : steps) {
    for (std::size_t i = 0; i < projections.size() && step.tensor; ++i) {
      if (step.name == projections[i]) {
        by_section[step.section][i].weight = step.tensor;
        whose[step.tensor->id()] = {step.section, i};
      } else if (step.name == std::string(projections[i]) + "_bias") {
        by_section[step.section][i].bias = step.tensor;
      }
    }
  }
  return [by_section, whose, source](const Tensor& was, const Tensor& is) {
    const auto found = is_product(was) ? whose.find(was.operands()[1].id()) : whose.end();
    if (found == whose.end() || source[found->second.second] == found->second.second) {
      return is;
    }
    const Projection& other = by_section.at(found->second.first)[source[found->second.second]];
    if (!other.weight || other.weight->shape() != was.operands()[1].shape()) {
      return is;
    }
    return was.kind() == Kind::matmul ? matmul(is.operands()[0], *other.weight)
                                      : linear(is.operands()[0], *other.weight, other.bias, other.weight->name());
  };
}

}  // namespace attn
