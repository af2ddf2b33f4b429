#include "walk/mistakes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "torch/torch.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes/subjects.hpp"
#include "walk/rotation.hpp"

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

/// The weight [a, b] read as [b, a]; .T would be right.
std::optional<Tensor> reshaped_weight(const Tensor& weight) {
  return is_square(weight) ? std::nullopt
                           : std::optional(contiguous(t(view(contiguous(weight), {weight.size(1), weight.size(0)}))));
}

Tensor without_bias(const Tensor& was, const Tensor& is) {
  return was.operands().size() > 2 ? linear(is.operands()[0], is.operands()[1], std::nullopt, "") : is;
}

Tensor without_projection(const Tensor& was, const Tensor& is) {
  return was.shape() == was.operands()[0].shape() ? is.operands()[0] : is;
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

/// keys @ queries.T instead of queries @ keys.T.
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
  return weighs_values(was) && is_square(was.operands()[0])
             ? matmul(rows_as_columns(is.operands()[0]), is.operands()[1])
             : is;
}

// ---- Masks ----------------------------------------------------------------------------------------

Tensor with_transposed_mask(const Tensor& was, const Tensor& is) {
  if (!hides(was)) {
    return is;
  }
  return is_square(was.operands()[1])
             ? masked_fill(is.operands()[0], contiguous(rows_as_columns(is.operands()[1])), -infinity)
             : is;
}

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

// ---- Blocks of keys ---------------------------------------------------------------------------------

/// Keeps what earlier blocks summed as it is; multiplied by the exponential of the maximum's change would be right.
Tensor not_block_rescaled(const Tensor& was, const Tensor& is) {
  return was.operands()[1].kind() == Kind::exp ? is.operands()[0] : is;
}

// ---- Dropout --------------------------------------------------------------------------------------

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

Tensor split_without_transpose(const Tensor& was, const Tensor& is) {
  return splits_heads(was) ? view(contiguous(is.operands()[0]), was.shape()) : is;
}

/// Assigns column i to head i % heads; i / head_dim would be right.
Tensor interleaved_heads(const Tensor& was, const Tensor& is) {
  if (!splits_heads(was)) {
    return is;
  }
  const Shape& shape = was.shape();  // [b, heads, tokens, head_dim]
  const Tensor columns = view(contiguous(is.operands()[0]), {shape[0], shape[2], shape[3], shape[1]});
  return contiguous(transpose(transpose(columns, 1, 3), 2, 3));
}

/// context.view(b, tokens, d_out) without context.transpose(1, 2).
Tensor joined_without_transpose(const Tensor& was, const Tensor& is) {
  if (was.kind() != Kind::transpose || was.dim() != 4 ||
      was.operation().facts().axes != std::array<std::size_t, 2>{1, 2} || was.operands()[0].kind() != Kind::matmul) {
    return is;
  }
  return view(contiguous(is.operands()[0]), was.shape());
}

Tensor reversed_cat(const Tensor& was, const Tensor& is) {
  return rotation_of(was) || has_sink(was) ? is : cat({is.operands().rbegin(), is.operands().rend()});
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

// ---- The table ------------------------------------------------------------------------------------

constexpr MistakeRow usual_rows[] = {
    {"no-scaling", "the scores are not divided by the square root of the keys' dimension", scaling_line,
     always<unscaled>},
    {"scaled-by-dimension", "the scores are divided by the keys' dimension, not by its square root", scaling_line,
     [](Steps) { return scaled_by([](std::int64_t size) { return static_cast<double>(size); }); }},
    {"multiplied-by-root", "the scores are multiplied by the square root, not divided by it", scaling_line,
     [](Steps) { return scaled_by([](std::int64_t size) { return 1 / std::sqrt(static_cast<double>(size)); }); }},
    {"no-mask", "nothing is masked: tokens see what the mask would hide", mask_line, always<unmasked>},
    {"mask-after-softmax", "weights are masked with 0 after softmax, instead of scores with -inf before it", mask_line,
     always<masked_after_softmax>},
    {"mask-0", "masked scores are 0, not -inf", mask_line, [](Steps) { return filled_with(0); }},
    {"mask-1e9", "masked scores are -1e9, not -inf", mask_line, [](Steps) { return filled_with(-1e9F); }},
    {"mask-hides-itself", "the mask hides the diagonal as well: off by one", mask_line,
     [](Steps) { return masked_beyond(-1); }},
    {"mask-shows-next", "the mask shows the next token: off by one", mask_line, [](Steps) { return masked_beyond(1); }},
    {"mask-transposed", "the mask is transposed: it hides earlier tokens", mask_line, always<with_transposed_mask>},
    {"mask-from-first-key", "the mask counts the new queries from the first key, not from the last",
     "torch.triu(torch.ones(m, n), diagonal=n - m + 1)", always<masked_from_first_key>},
    {"mask-of-first-entry", "the mask of the first sequence is used for the whole batch",
     "attn_scores.masked_fill(mask, -torch.inf), with a mask for each sequence", always<masked_by_first_entry>},
    {"mask-padded-queries", "the queries of padding are masked as well as its keys",
     "attn_scores.masked_fill(mask, -torch.inf), with whole columns in mask", always<masked_both_ways>},
    {"softmax-dim-0", "softmax is taken over dim 0, not over the last axis", softmax_line,
     [](Steps) { return softmax_along(0); }},
    {"softmax-dim-1", "softmax is taken over dim 1, not over the last axis", softmax_line,
     [](Steps) { return softmax_along(1); }},
    {"softmax-dim-2", "softmax is taken over dim 2, not over the last axis", softmax_line,
     [](Steps) { return softmax_along(2); }},
    {"weight-transposed", "the weight is transposed", "x @ W, or with nn.Linear's weight x @ W.T",
     [](Steps) { return with_weight(transposed_weight); }},
    {"weight-reshaped", "the weight is reshaped, not transposed", "x @ W, or with nn.Linear's weight x @ W.T",
     [](Steps) { return with_weight(reshaped_weight); }},
    {"same-weights", "keys are computed with W_query, not with W_key", "keys = x @ W_key",
     [](Steps steps) {
       return made_with(steps, {0, 0, 2});
     }},
    {"no-bias", "the bias is left out", bias_line, each<Kind::linear, without_bias>},
    {"no-projection", "the linear layer is left out", "out_proj(context_vec)", each<Kind::linear, without_projection>},
    {"query-key-swapped", "queries and keys are swapped: the scores are transposed", "queries @ keys.T",
     each<Kind::matmul, swapped_product>},
    {"weights-transposed", "the weights are transposed before the product with the values", values_line,
     each<Kind::matmul, transposed_weights>},
    {"no-rescale", "kept entries are not multiplied by 1 / (1 - p)", dropout_line, always<not_rescaled>},
    {"scaled-by-1-p", "kept entries are multiplied by 1 - p", dropout_line, each<Kind::dropout, scaled_by_p>},
    {"divided-by-p", "kept entries are divided by p, not by 1 - p", dropout_line, each<Kind::dropout, divided_by_p>},
    {"keep-and-drop-swapped", "dropout drops the entries that the mask keeps", dropout_line,
     each<Kind::dropout, dropped_what_is_kept>},
    {"no-dropout", "nothing is dropped", dropout_line, each<Kind::dropout, nothing_dropped>},
    {"heads-by-view", "heads are split by view only, without transpose", split_line, always<split_without_transpose>},
    {"heads-interleaved", "heads take every num_heads-th column, not head_dim adjacent columns", split_line,
     always<interleaved_heads>},
    {"heads-joined-by-view", "heads are joined by view only, without transpose", join_line,
     always<joined_without_transpose>},
    {"tiled-heads", "heads of keys and values are repeated as 0, 1, 0, 1, not as 0, 0, 1, 1",
     "keys.repeat_interleave(group_size, dim=1)", each<Kind::repeat, tiled>},
    {"no-block-rescale", "sums of earlier blocks are not rescaled when a block raises the maximum",
     "row_sum * torch.exp(row_max - new_row_max)", each<Kind::multiplied, not_block_rescaled>},
    {"heads-reversed", "the heads are concatenated in reverse order", "torch.cat(heads, dim=-1)",
     each<Kind::cat, reversed_cat>},
};

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

/// The sizes that a program may confuse with head_dim.
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

Mistake made(const MistakeRow& row, Steps steps) {
  return {std::string(row.name), std::string(row.sentence), std::string(row.instead), row.rule(steps), row.is_rare};
}

/// The mistakes that can occur in programs, the most common first; --what-if has some of them.
std::array<std::span<const MistakeRow>, 6> named_tables() {
  return {usual_rows,         rotation_mistakes_in(), bias_mistakes_in(),
          sink_mistakes_in(), position_mistakes_in(), gradient_mistakes_in()};
}

void append(std::vector<Mistake>& table, const std::vector<Mistake>& more) {
  table.insert(table.end(), more.begin(), more.end());
}

}  // namespace

std::vector<Mistake> made(std::span<const MistakeRow> rows, Steps steps) {
  std::vector<Mistake> table;
  std::ranges::transform(rows, std::back_inserter(table), [steps](const MistakeRow& row) { return made(row, steps); });
  return table;
}

std::vector<Mistake> mistakes_in(std::span<const Step> steps) {
  std::vector<Mistake> table;
  for (const std::span<const MistakeRow> rows : named_tables()) {
    append(table, made(rows, steps));
  }
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

std::vector<Mistake> mistakes_on_pages(std::span<const Step> steps) {
  std::vector<Mistake> table = mistakes_in(steps);
  append(table, made(softmax_mistakes_on_pages(), steps));
  return table;
}

std::vector<Mistake> all_mistakes_in(std::span<const Step> steps) {
  std::vector<Mistake> table = mistakes_on_pages(steps);
  append(table, mask_mistakes(table));
  append(table, made(score_mistakes(), steps));
  append(table, softmax_mistakes());
  append(table, dropout_mistakes(steps));
  append(table, projection_mistakes(steps));
  append(table, made(rotation_mistakes(), steps));
  append(table, made(bias_mistakes(), steps));
  append(table, made(sink_mistakes(), steps));
  append(table, position_mistakes(steps));
  append(table, made(gradient_mistakes(), steps));
  append(table, slice_mistakes());
  append(table, precision_mistakes());
  append(table, layer_mistakes(steps));
  append(table, function_mistakes());
  return table;
}

Rewriter::Rule in_turn(std::vector<Rewriter::Rule> rules) {
  return [rules = std::move(rules)](const Tensor& was, const Tensor& is) {
    Tensor result = is;
    for (const Rewriter::Rule& rule : rules) {
      // The next rule reads what a layer was made of; of other operations it would undo the first.
      const bool is_read = result.id() == is.id() ||
                           (result.kind() == Kind::linear && result.operands().size() == was.operands().size());
      result = is_read ? rule(was, result) : result;
    }
    return result;
  };
}

std::vector<Mistake> pairs_of(std::span<const Mistake> table) {
  std::vector<Mistake> pairs;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = i + 1; j < table.size(); ++j) {
      for (const auto& [first, second] : {std::pair(&table[i], &table[j]), std::pair(&table[j], &table[i])}) {
        if (first->name != second->name) {
          pairs.push_back({first->name + " and " + second->name, first->sentence + "; and " + second->sentence,
                           first->instead + "; and " + second->instead, in_turn({first->rule, second->rule})});
        }
      }
    }
  }
  return pairs;
}

bool is_of_slices(const Mistake& mistake, std::string_view slice) {
  return std::ranges::any_of(std::array{"head", "entry", "batch"}, [&](const char* word) {
    return mistake.name.find(word) != std::string::npos && slice.find(word) != std::string_view::npos;
  });
}

Mistake scaled_by_number(double divisor) {
  return {
      "scaled-by-number",
      "the scores are divided by " + text::shortest_text(divisor) + ", not by the square root of the keys' dimension",
      scaling_line, divided_by(divisor)};
}

Mistake mistake_of(std::string_view name, std::span<const Step> steps) {
  for (const std::span<const MistakeRow> rows : named_tables()) {
    const auto row = std::ranges::find(rows, name, &MistakeRow::name);
    if (row != rows.end()) {
      return made(*row, steps);
    }
  }
  throw std::logic_error("no mistake is called so");
}

}  // namespace attn
