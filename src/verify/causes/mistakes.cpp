#include "verify/causes/mistakes.hpp"

#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"

namespace attn {

std::size_t width_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.size(-1)); }

std::size_t rows_of(const Tensor& tensor) { return tensor.dim() < 2 ? 1 : static_cast<std::size_t>(tensor.size(-2)); }

bool has_axis(const Tensor& tensor, std::size_t axis) {
  return tensor.dim() >= (axis == 0 ? 3 : 4) && tensor.shape()[axis] > 1;
}

bool splits_heads(const Tensor& tensor) {
  return tensor.kind() == Kind::transpose && tensor.dim() == 4 &&
         tensor.operation().facts().axes == std::array<std::size_t, 2>{1, 2} &&
         tensor.operands()[0].kind() == Kind::view;
}

bool joins_heads(const Tensor& tensor) {
  return tensor.kind() == Kind::view && tensor.dim() == 3 && tensor.operands()[0].kind() == Kind::contiguous &&
         tensor.operands()[0].dim() == 4;
}

bool meets_keys(const Tensor& was) {
  const Tensor* const right = was.kind() == Kind::matmul ? &was.operands()[1] : nullptr;
  return right != nullptr && right->kind() == Kind::transpose &&
         right->operation().facts().axes[1] + 1 == static_cast<std::size_t>(right->dim());
}

bool is_square(const Tensor& tensor) { return tensor.dim() >= 2 && tensor.size(-1) == tensor.size(-2); }

Rewriter::Rule divided_by(double divisor) {
  return scaled_by([divisor](std::int64_t) { return divisor; });
}

Rewriter::Rule filled_with(float value) {
  return [value](const Tensor& was, const Tensor& is) {
    return hides(was) ? masked_fill(is.operands()[0], is.operands()[1], value) : is;
  };
}

Tensor inverted(const Tensor& mask) {
  return leaf(mask.shape(), DType::boolean, "mask", [mask] {
    Block<bool> block = std::get<Block<bool>>(*mask.array().contents());
    std::ranges::transform(block, block.begin(), [](bool one) { return !one; });
    return Contents(std::move(block));
  });
}

Tensor with_first_operand(const Tensor& tensor, const Tensor& operand) {
  std::vector<Tensor> operands = tensor.operands();
  operands[0] = operand;
  return tensor.with_operands(std::move(operands));
}

namespace {

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

// ---- Scores, weights and masks ---------------------------------------------------------------------

/// keys @ queries.T instead of queries @ keys.T.
Tensor swapped_product(const Tensor& was, const Tensor& is) {
  const Tensor& right = was.operands()[1];
  return right.kind() == Kind::transpose && is_square(was) ? contiguous(rows_as_columns(is)) : is;
}

Tensor transposed_weights(const Tensor& was, const Tensor& is) {
  return weighs_values(was) && is_square(was.operands()[0])
             ? matmul(rows_as_columns(is.operands()[0]), is.operands()[1])
             : is;
}

Tensor with_transposed_mask(const Tensor& was, const Tensor& is) {
  if (!hides(was)) {
    return is;
  }
  return is_square(was.operands()[1])
             ? masked_fill(is.operands()[0], contiguous(rows_as_columns(is.operands()[1])), -infinity)
             : is;
}

// ---- Dropout --------------------------------------------------------------------------------------

/// Multiplies the entries that dropout keeps by another factor, one of p.
Rewriter::Rule rescaled(double (*factor)(double p)) {
  return for_each(Kind::dropout, [factor](const Tensor& was, const Tensor& is) {
    const double p = was.operation().facts().p;
    return p > 0 ? divide(kept(is.operands()[0], is.operands()[1]), 1 / factor(p), "") : is;
  });
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

// ---- The table ------------------------------------------------------------------------------------

/// A name alone is that of a what-if.
constexpr MistakeRow usual_rows[] = {
    {"no-scaling"},
    {"scaled-by-dimension", "the scores are divided by the keys' dimension, not by its square root", scaling_line,
     [](Steps) { return scaled_by([](std::int64_t size) { return static_cast<double>(size); }); }},
    {"multiplied-by-root", "the scores are multiplied by the square root, not divided by it", scaling_line,
     [](Steps) { return scaled_by([](std::int64_t size) { return 1 / std::sqrt(static_cast<double>(size)); }); }},
    {"no-mask"},
    {"mask-after-softmax"},
    {"mask-0", "masked scores are 0, not -inf", mask_line, [](Steps) { return filled_with(0); }},
    {"mask-1e9", "masked scores are -1e9, not -inf", mask_line, [](Steps) { return filled_with(-1e9F); }},
    {"mask-hides-itself", "the mask hides the diagonal as well: off by one", mask_line,
     [](Steps) { return masked_beyond(-1); }},
    {"mask-shows-next", "the mask shows the next token: off by one", mask_line, [](Steps) { return masked_beyond(1); }},
    {"mask-transposed", "the mask is transposed: it hides earlier tokens", mask_line, always<with_transposed_mask>},
    {"mask-from-first-key"},
    {"mask-of-first-entry"},
    {"mask-padded-queries"},
    {"softmax-dim-0"},
    {"softmax-dim-1", "softmax is taken over dim 1, not over the last axis", softmax_line,
     [](Steps) { return softmax_along(1); }},
    {"softmax-dim-2", "softmax is taken over dim 2, not over the last axis", softmax_line,
     [](Steps) { return softmax_along(2); }},
    {"weight-transposed", "the weight is transposed", "x @ W, or with nn.Linear's weight x @ W.T",
     [](Steps) { return with_weight(transposed_weight); }},
    {"weight-reshaped", "the weight is reshaped, not transposed", "x @ W, or with nn.Linear's weight x @ W.T",
     [](Steps) { return with_weight(reshaped_weight); }},
    {"same-weights"},
    {"no-bias", "the bias is left out", bias_line, each<Kind::linear, without_bias>},
    {"no-projection", "the linear layer is left out", "out_proj(context_vec)", each<Kind::linear, without_projection>},
    {"query-key-swapped", "queries and keys are swapped: the scores are transposed", "queries @ keys.T",
     each<Kind::matmul, swapped_product>},
    {"weights-transposed", "the weights are transposed before the product with the values", values_line,
     each<Kind::matmul, transposed_weights>},
    {"no-rescale"},
    {"scaled-by-1-p", "kept entries are multiplied by 1 - p", dropout_line,
     [](Steps) { return rescaled([](double p) { return 1 - p; }); }},
    {"divided-by-p", "kept entries are divided by p, not by 1 - p", dropout_line,
     [](Steps) { return rescaled([](double p) { return 1 / p; }); }},
    {"keep-and-drop-swapped", "dropout drops the entries that the mask keeps", dropout_line,
     each<Kind::dropout, dropped_what_is_kept>},
    {"no-dropout", "nothing is dropped", dropout_line, each<Kind::dropout, nothing_dropped>},
    {"heads-by-view", "heads are split by view only, without transpose", split_line, always<split_without_transpose>},
    {"heads-interleaved", "heads take every num_heads-th column, not head_dim adjacent columns", split_line,
     always<interleaved_heads>},
    {"heads-joined-by-view", "heads are joined by view only, without transpose", join_line,
     always<joined_without_transpose>},
    {"tiled-heads"},
    {"no-block-rescale"},
    {"heads-reversed", "the heads are concatenated in reverse order", "torch.cat(heads, dim=-1)",
     each<Kind::cat, reversed_cat>},
};

void append(std::vector<Mistake>& table, const std::vector<Mistake>& more) {
  table.insert(table.end(), more.begin(), more.end());
}

}  // namespace

std::vector<Mistake> made(std::span<const MistakeRow> rows, Steps steps) {
  std::vector<Mistake> table;
  std::ranges::transform(rows, std::back_inserter(table), [steps](const MistakeRow& row) {
    return row.rule == nullptr ? mistake_of(row.name, steps) : made(row, steps);
  });
  return table;
}

std::vector<Mistake> mistakes_in(Steps steps) {
  std::vector<Mistake> table = made(usual_rows, steps);
  for (const std::span<const MistakeRow> rows : what_if_mistakes()) {
    std::ranges::for_each(rows, [&](const MistakeRow& row) {
      const bool is_there = std::ranges::find(table, row.name, &Mistake::name) != table.end();
      is_there ? void() : table.push_back(made(row, steps));
    });
  }
  std::set<std::int64_t> sizes;  // that a program may confuse with head_dim
  for (const Step& step : steps) {
    step.tensor ? sizes.insert(step.tensor->shape().begin(), step.tensor->shape().end()) : void();
  }
  for (const std::int64_t size : sizes) {
    if (size > 1) {
      table.push_back({"scaled-by-root-of-" + std::to_string(size),
                       "the scores are divided by the square root of " + std::to_string(size) +
                           ", which is not the keys' dimension",
                       scaling_line, divided_by(std::sqrt(static_cast<double>(size)))});
    }
  }
  return table;
}

std::vector<Mistake> mistakes_on_pages(Steps steps) {
  std::vector<Mistake> table = mistakes_in(steps);
  append(table, made(softmax_rows_on_pages(), steps));
  return table;
}

std::vector<Mistake> all_mistakes_in(Steps steps) {
  std::vector<Mistake> table = mistakes_on_pages(steps);
  append(table, score_mistakes());
  append(table, projection_mistakes(steps));
  append(table, product_mistakes());
  append(table, chapter_mistakes(steps));
  append(table, number_mistakes());
  return table;
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

}  // namespace attn
