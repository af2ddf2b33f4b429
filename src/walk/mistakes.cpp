#include "walk/mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "torch/torch.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

/// Returns true if the last two axes have the same size.
bool is_square(const Tensor& tensor) { return tensor.dim() >= 2 && tensor.size(-1) == tensor.size(-2); }

/// tensor.transpose(-2, -1)
Tensor rows_as_columns(const Tensor& tensor) { return transpose(tensor, tensor.dim() - 2, tensor.dim() - 1); }

// ---- Projections ----------------------------------------------------------------------------------

bool is_parameter(const Tensor& tensor) {
  return tensor.kind() == Kind::parameter || tensor.kind() == Kind::uniform || tensor.kind() == Kind::normal;
}

/// x @ W with W [d_in, d_out], or nn.Linear's, with `change` made to the weight.
template <class Change>
Rewriter::Rule with_weight(Change change) {
  return [change](const Tensor& was, const Tensor& is) {
    const bool is_projection =
        was.kind() == Kind::linear || (was.kind() == Kind::matmul && is_parameter(was.operands()[1]));
    if (!is_projection || was.operands()[1].dim() != 2) {
      return is;
    }
    const std::optional<Tensor> weight = change(is.operands()[1]);
    if (!weight) {
      return is;
    }
    if (was.kind() == Kind::matmul) {
      return matmul(is.operands()[0], *weight);
    }
    const std::optional<Tensor> bias = is.operands().size() > 2 ? std::optional(is.operands()[2]) : std::nullopt;
    return linear(is.operands()[0], *weight, bias, "");
  };
}

std::optional<Tensor> transposed_weight(const Tensor& weight) {
  return is_square(weight) ? std::optional(t(weight)) : std::nullopt;
}

/// [a, b] read as [b, a], where .T would be right.
std::optional<Tensor> reshaped_weight(const Tensor& weight) {
  return is_square(weight) ? std::nullopt
                           : std::optional(contiguous(t(view(contiguous(weight), {weight.size(1), weight.size(0)}))));
}

/// Keys are computed with the W_query of the same section. W_key is still drawn.
Rewriter::Rule same_weights(std::span<const Step> steps) {
  struct Query {
    std::optional<Tensor> weight;
    std::optional<Tensor> bias;
  };
  std::map<std::string, Query> queries;  // by section
  std::map<const void*, Query> instead;  // of a W_key
  for (const Step& step : steps) {
    if (step.name == "W_query") {
      queries[step.section] = {step.tensor, std::nullopt};
    } else if (step.name == "W_query_bias") {
      queries[step.section].bias = step.tensor;
    } else if (step.name == "W_key") {
      instead[step.tensor->id()] = queries[step.section];
    }
  }
  return [instead](const Tensor& was, const Tensor& is) {
    const bool is_product = was.kind() == Kind::linear || was.kind() == Kind::matmul;
    const auto found = is_product ? instead.find(was.operands()[1].id()) : instead.end();
    if (found == instead.end()) {
      return is;
    }
    const auto& [weight, bias] = found->second;
    return was.kind() == Kind::linear ? linear(is.operands()[0], *weight, bias, weight->name())
                                      : matmul(is.operands()[0], *weight);
  };
}

Tensor without_bias(const Tensor& was, const Tensor& is) {
  return was.operands().size() > 2 ? linear(is.operands()[0], is.operands()[1], std::nullopt, "") : is;
}

Tensor without_projection(const Tensor& was, const Tensor& is) {
  return was.shape() == was.operands()[0].shape() ? is.operands()[0] : is;
}

// ---- Scores ---------------------------------------------------------------------------------------

/// Scores are divided by this, of what should be divided by the root of `root_of`.
template <class Divisor>
Rewriter::Rule scaled_by(Divisor divisor) {
  return [divisor](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = was.operation().facts().root_of;
    return root_of > 0 ? divide(is.operands()[0], divisor(root_of), "") : is;
  };
}

Rewriter::Rule divided_by(double divisor) {
  return scaled_by([divisor](std::int64_t) { return divisor; });
}

Tensor unscaled(const Tensor& was, const Tensor& is) {
  return was.operation().facts().root_of > 0 ? is.operands()[0] : is;
}

/// keys @ queries.T for queries @ keys.T.
Tensor swapped_product(const Tensor& was, const Tensor& is) {
  const Tensor& right = was.operands()[1];
  return right.kind() == Kind::transpose && is_square(was) ? contiguous(rows_as_columns(is)) : is;
}

Rewriter::Rule softmax_along(std::int64_t axis) {
  return for_each(Kind::softmax, [axis](const Tensor& was, const Tensor& is) {
    return axis < was.dim() - 1 ? softmax_over(is.operands()[0], axis) : is;
  });
}

Tensor transposed_weights(const Tensor& was, const Tensor& is) {
  const Tensor& weights = was.operands()[0];
  const bool is_context =
      weights.kind() == Kind::softmax || weights.kind() == Kind::dropout || weights.kind() == Kind::divided;
  return is_context && is_square(weights) ? matmul(rows_as_columns(is.operands()[0]), is.operands()[1]) : is;
}

// ---- Masks ----------------------------------------------------------------------------------------

Rewriter::Rule masked_with(float value) {
  return [value](const Tensor& was, const Tensor& is) {
    return hides(was) ? masked_fill(is.operands()[0], is.operands()[1], value) : is;
  };
}

/// True where column - row is more than `beyond`, which should be 0: a mask of another diagonal.
Rewriter::Rule masked_beyond(std::int64_t beyond) {
  return [beyond](const Tensor& was, const Tensor& is) {
    if (!hides(was)) {
      return is;
    }
    const Tensor mask =
        leaf(was.operands()[1].shape(), DType::boolean, "mask", [shape = was.operands()[1].shape(), beyond] {
          Block<bool> block(shape);
          const std::int64_t columns = shape.back();
          const std::int64_t rows = shape[shape.size() - 2];
          for (std::size_t i = 0; i < block.size(); ++i) {
            const auto place = static_cast<std::int64_t>(i);
            block[i] = place % columns - place / columns % rows > beyond;
          }
          return Contents(std::move(block));
        });
    return masked_fill(is.operands()[0], mask, -infinity);
  };
}

Tensor with_transposed_mask(const Tensor& was, const Tensor& is) {
  if (!hides(was)) {
    return is;
  }
  return is_square(was.operands()[1])
             ? masked_fill(is.operands()[0], contiguous(rows_as_columns(is.operands()[1])), -infinity)
             : is;
}

/// Neither scores with -inf nor weights with 0.
Tensor unmasked(const Tensor& was, const Tensor& is) {
  return hides(was) || was.kind() == Kind::multiplied ? is.operands()[0] : is;
}

/// The mask of scores that may have been scaled since.
std::optional<Tensor> mask_of(const Tensor& scores) {
  if (hides(scores)) {
    return scores.operands()[1];
  }
  return scores.kind() == Kind::scaled ? mask_of(scores.operands()[0]) : std::nullopt;
}

Tensor masked_after_softmax(const Tensor& was, const Tensor& is) {
  if (hides(was)) {
    return is.operands()[0];
  }
  const auto mask = was.kind() == Kind::softmax ? mask_of(was.operands()[0]) : std::nullopt;
  if (!mask) {
    return is;
  }
  is.set_name("unmasked_attn_weights");
  return masked_fill(is, *mask, 0);
}

// ---- Dropout --------------------------------------------------------------------------------------

Tensor inverted(const Tensor& mask) {
  return leaf(mask.shape(), DType::boolean, "mask", [mask] {
    Block<bool> block = std::get<Block<bool>>(*mask.array().contents());
    std::ranges::transform(block, block.begin(), [](bool keep) { return !keep; });
    return Contents(std::move(block));
  });
}

Tensor not_rescaled(const Tensor& was, const Tensor& is) {
  if (was.name() == "scale") {
    return torch::ones({});
  }
  return was.kind() == Kind::dropout ? kept(is.operands()[0], is.operands()[1]) : is;
}

Tensor scaled_by_p(const Tensor& was, const Tensor& is) {
  const double p = was.operation().facts().p;
  return p > 0 ? divide(kept(is.operands()[0], is.operands()[1]), 1 / (1 - p), "") : is;
}

Tensor divided_by_p(const Tensor& was, const Tensor& is) {
  const double p = was.operation().facts().p;
  return p > 0 ? divide(kept(is.operands()[0], is.operands()[1]), p, "") : is;
}

Tensor dropped_what_is_kept(const Tensor& was, const Tensor& is) {
  return dropout(is.operands()[0], inverted(is.operands()[1]), was.operation().facts().p);
}

Tensor nothing_dropped(const Tensor&, const Tensor& is) { return is.operands()[0]; }

// ---- Heads ----------------------------------------------------------------------------------------

/// Whether it is x.view(b, tokens, heads, head_dim).transpose(1, 2).
bool splits_heads(const Tensor& tensor) {
  return tensor.kind() == Kind::transpose && tensor.dim() == 4 &&
         tensor.operation().facts().axes == std::array<std::size_t, 2>{1, 2} &&
         tensor.operands()[0].kind() == Kind::view;
}

Tensor split_without_transpose(const Tensor& was, const Tensor& is) {
  return splits_heads(was) ? view(contiguous(is.operands()[0]), was.shape()) : is;
}

/// Column i belongs to head i % heads, not to head i / head_dim.
Tensor interleaved_heads(const Tensor& was, const Tensor& is) {
  if (!splits_heads(was)) {
    return is;
  }
  const Shape& shape = was.shape();  // [b, heads, tokens, head_dim]
  const Tensor columns = view(contiguous(is.operands()[0]), {shape[0], shape[2], shape[3], shape[1]});
  return contiguous(transpose(transpose(columns, 1, 3), 2, 3));
}

/// context.view(b, tokens, d_out) where context.transpose(1, 2) comes first.
Tensor joined_without_transpose(const Tensor& was, const Tensor& is) {
  if (was.kind() != Kind::transpose || was.dim() != 4 ||
      was.operation().facts().axes != std::array<std::size_t, 2>{1, 2} || was.operands()[0].kind() != Kind::matmul) {
    return is;
  }
  return view(contiguous(is.operands()[0]), was.shape());
}

Tensor reversed_cat(const Tensor&, const Tensor& is) { return cat({is.operands().rbegin(), is.operands().rend()}); }

// ---- The table ------------------------------------------------------------------------------------

const char* const scaling_line = "attn_scores / keys.shape[-1]**0.5";

/// The names of dimensions with this size: "num_heads", "d_out or d_in"; empty if there are none.
std::string owners_of(std::int64_t size, std::span<const Step> steps) {
  std::vector<std::string> owners;
  const auto add = [&](const char* name, std::int64_t of) {
    if (of == size && std::ranges::find(owners, name) == owners.end()) {
      owners.emplace_back(name);
    }
  };
  for (const Step& step : steps) {
    const bool is_tensor = step.kind == Step::Kind::tensor;
    if (is_tensor && step.tensor->kind() == Kind::softmax && step.tensor->dim() >= 2) {
      add("tokens", step.tensor->size(-1));
      step.tensor->dim() == 4 ? add("num_heads", step.tensor->size(1)) : void();
    }
    if (is_tensor && (step.name == "queries" || step.name == "keys") && step.tensor->dim() >= 2) {
      add("d_out", step.tensor->size(-1));
    }
    if (is_tensor && step.name == "inputs") {
      add("d_in", step.tensor->size(-1));
    }
    if (is_tensor && step.name == "batch") {
      add("batch", step.tensor->size(0));
    }
  }
  return text::joined(owners, " or ");
}

/// The sizes that may be mistaken for the scores' head_dim.
std::vector<std::int64_t> sizes_of(std::span<const Step> steps) {
  std::vector<std::int64_t> sizes;
  for (const Step& step : steps) {
    if (step.tensor) {
      sizes.insert(sizes.end(), step.tensor->shape().begin(), step.tensor->shape().end());
    }
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace

std::vector<Mistake> mistakes_in(std::span<const Step> steps) {
  const char* const softmax_line = "torch.softmax(scores, dim=-1)";
  const char* const mask_line = "attn_scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)";
  const char* const dropout_line = "weights * keep_mask / (1 - p)";
  const char* const split_line = "x.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)";
  std::vector<Mistake> table = {
      {"no-scaling", "the scores are not divided by the square root of the keys' dimension", scaling_line, unscaled},
      {"scaled-by-dimension", "the scores are divided by the keys' dimension, not by its square root", scaling_line,
       scaled_by([](std::int64_t size) { return static_cast<double>(size); })},
      {"multiplied-by-root", "the scores are multiplied by the square root, not divided by it", scaling_line,
       scaled_by([](std::int64_t size) { return 1 / std::sqrt(static_cast<double>(size)); })},
      {"no-mask", "nothing is masked: tokens see later ones", mask_line, unmasked},
      {"mask-after-softmax", "weights are masked with 0 after softmax, instead of scores with -inf before it",
       mask_line, masked_after_softmax},
      {"mask-0", "masked scores are 0, not -inf", mask_line, masked_with(0)},
      {"mask-1e9", "masked scores are -1e9, not -inf", mask_line, masked_with(-1e9F)},
      {"mask-hides-itself", "the mask hides the diagonal as well: off by one", mask_line, masked_beyond(-1)},
      {"mask-shows-next", "the mask shows the next token: off by one", mask_line, masked_beyond(1)},
      {"mask-transposed", "the mask is transposed: it hides earlier tokens", mask_line, with_transposed_mask},
      {"softmax-dim-0", "softmax is taken over dim 0, not over the last axis", softmax_line, softmax_along(0)},
      {"softmax-dim-1", "softmax is taken over dim 1, not over the last axis", softmax_line, softmax_along(1)},
      {"softmax-dim-2", "softmax is taken over dim 2, not over the last axis", softmax_line, softmax_along(2)},
      {"weight-transposed", "the weight is transposed", "x @ W, or with nn.Linear's weight x @ W.T",
       with_weight(transposed_weight)},
      {"weight-reshaped", "the weight is reshaped, not transposed", "x @ W, or with nn.Linear's weight x @ W.T",
       with_weight(reshaped_weight)},
      {"same-weights", "keys are computed with W_query, not with W_key", "keys = x @ W_key", same_weights(steps)},
      {"no-bias", "the bias is left out", "x @ W.T + b", for_each(Kind::linear, without_bias)},
      {"no-projection", "the linear layer is left out", "out_proj(context_vec)",
       for_each(Kind::linear, without_projection)},
      {"query-key-swapped", "queries and keys are swapped: the scores are transposed", "queries @ keys.T",
       for_each(Kind::matmul, swapped_product)},
      {"weights-transposed", "the weights are transposed before the product with the values", "attn_weights @ values",
       for_each(Kind::matmul, transposed_weights)},
      {"no-rescale", "kept entries are not multiplied by 1 / (1 - p)", dropout_line, not_rescaled},
      {"scaled-by-1-p", "kept entries are multiplied by 1 - p", dropout_line, for_each(Kind::dropout, scaled_by_p)},
      {"divided-by-p", "kept entries are divided by p, not by 1 - p", dropout_line,
       for_each(Kind::dropout, divided_by_p)},
      {"keep-and-drop-swapped", "dropout drops the entries that the mask keeps", dropout_line,
       for_each(Kind::dropout, dropped_what_is_kept)},
      {"no-dropout", "nothing is dropped", dropout_line, for_each(Kind::dropout, nothing_dropped)},
      {"heads-by-view", "heads are split by view only, without transpose", split_line, split_without_transpose},
      {"heads-interleaved", "heads take every num_heads-th column, not head_dim adjacent columns", split_line,
       interleaved_heads},
      {"heads-joined-by-view", "heads are joined by view only, without transpose",
       "context_vec.transpose(1, 2).contiguous().view(b, num_tokens, d_out)", joined_without_transpose},
      {"heads-reversed", "the heads are concatenated in reverse order", "torch.cat(heads, dim=-1)",
       for_each(Kind::cat, reversed_cat)},
  };
  for (const std::int64_t size : sizes_of(steps)) {
    if (size > 1) {
      const std::string owners = owners_of(size, steps);
      table.push_back({"scaled-by-root-of-" + std::to_string(size),
                       "the scores are divided by the square root of " + std::to_string(size) +
                           (owners.empty() ? "" : ", " + owners) + ", which is not the keys' dimension",
                       scaling_line, divided_by(std::sqrt(static_cast<double>(size)))});
    }
  }
  return table;
}

Mistake scaled_by_number(double divisor) {
  return {
      "scaled-by-number",
      "the scores are divided by " + text::shortest_text(divisor) + ", not by the square root of the keys' dimension",
      scaling_line, divided_by(divisor)};
}

Mistake mistake_of(std::string_view name, std::span<const Step> steps) {
  std::vector<Mistake> table = mistakes_in(steps);
  return std::move(*std::ranges::find(table, name, &Mistake::name));
}

}  // namespace attn
