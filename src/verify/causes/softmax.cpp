#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>

#include "tensor/what_if.hpp"
#include "text/numbers.hpp"
#include "verify/causes/rules.hpp"

namespace attn {
namespace {

// ---- Another function of each row of scores --------------------------------------------------------

/// exp(scores - shift), divided by its sum plus `more`; not divided if `more` is empty.
void exponentials(std::span<float> row, float shift, std::optional<float> more) {
  std::ranges::transform(row, row.begin(), [shift](float score) { return std::exp(score - shift); });
  const float divisor = more ? std::accumulate(row.begin(), row.end(), 0.0F) + *more : 1;
  std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
}

void weights(std::span<float> row) { exponentials(row, std::ranges::max(row), 0.0F); }

void by_powers_of_2(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score *= std::log(2.0F); });
  weights(row);
}

void without_exp(std::span<float> row) {
  std::ranges::replace(row, -infinity, 0.0F);
  const float sum = std::accumulate(row.begin(), row.end(), 0.0F);
  std::ranges::for_each(row, [sum](float& one) { one /= sum; });
}

void logarithms(std::span<float> row) {
  weights(row);
  std::ranges::for_each(row, [](float& one) { one = std::log(one); });
}

void all_alike(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score = std::isinf(score) ? score : 0; });
  weights(row);
}

void no_numbers_where_hidden(std::span<float> row) {
  const bool is_hidden = std::ranges::find(row, -infinity) != row.end();
  exponentials(row, is_hidden ? std::nanf("") : std::ranges::max(row), 0.0F);
}

void sigmoids(std::span<float> row) {
  std::ranges::transform(row, row.begin(), [](float score) { return 1 / (1 + std::exp(-score)); });
}

void relus(std::span<float> row) {
  std::ranges::transform(row, row.begin(), [](float score) { return std::max(score, 0.0F); });
  without_exp(row);
}

void largest_alone(std::span<float> row) {
  const float most = std::ranges::max(row);
  std::ranges::transform(row, row.begin(), [most](float score) { return score == most ? 1.0F : 0.0F; });
}

template <void (*change)(std::span<float>)>
Rewriter::Rule by_rows(Steps) {
  return for_each(Kind::softmax,
                  [](const Tensor&, const Tensor& is) { return made_by_rows(is.operands()[0], change); });
}

// ---- Softmax of other scores ------------------------------------------------------------------------

/// The number whose root divides the scores before softmax; 0 if they are not divided.
std::int64_t root_before(const Tensor& softmax) {
  const Tensor* scores = &softmax.operands()[0];
  while (scores->operation().facts().root_of == 0 && scores->kind() == Kind::masked) {
    scores = &scores->operands()[0];
  }
  return scores->operation().facts().root_of;
}

/// Softmax of the scores times a power of the root that divides them, whichever steps are shown.
Rewriter::Rule of_times(double power) {
  return for_each(Kind::softmax, [power](const Tensor& was, const Tensor& is) {
    const auto root_of = static_cast<double>(root_before(was));
    return root_of > 1 ? softmax(divide(is.operands()[0], std::pow(root_of, -power / 2), "")) : is;
  });
}

/// Softmax of the scores before masking and maybe scaling, whichever steps are shown; `is_hidden_later` masks it with
/// 0.
template <bool is_scaled, bool is_hidden_later>
Tensor of_unmasked(const Tensor& was, const Tensor& is) {
  const std::int64_t root_of = root_before(was);
  Tensor scores = is.operands()[0];
  std::optional<Tensor> mask;
  while (scores.kind() == Kind::masked || scores.operation().facts().root_of > 0) {
    mask = scores.kind() == Kind::masked ? scores.operands()[1] : mask;
    scores = Tensor(scores.operands()[0]);
  }
  if (root_of == 0 || !mask) {
    return is;
  }
  const Tensor made = softmax(is_scaled ? divide(scores, std::sqrt(static_cast<double>(root_of)), "") : scores);
  return is_hidden_later ? masked_fill(made, *mask, 0) : made;
}

Tensor scaled_after(const Tensor& was, const Tensor& is) {
  if (was.operation().facts().root_of > 0) {
    return is.operands()[0];
  }
  const std::int64_t root_of = was.kind() == Kind::softmax ? root_before(was) : 0;
  return root_of == 0 ? is : divide(is, std::sqrt(static_cast<double>(root_of)), "");
}

/// Softmax along another axis, with masked scores of -1e9; if all are masked, the weights are equal.
Rewriter::Rule of_hidden_along(std::int64_t axis) {
  return for_each(Kind::softmax, [axis](const Tensor& was, const Tensor& is) {
    const Tensor finite =
        made_of(is.operands()[0], [](Numbers& numbers) { std::ranges::replace(numbers, -infinity, -1e9F); });
    return axis < was.dim() - 1 ? softmax_over(finite, axis) : is;
  });
}

Tensor twice(const Tensor&, const Tensor& is) { return softmax(is); }

Tensor over_matrix(const Tensor& was, const Tensor& is) {
  return made_of(is.operands()[0], [size = rows_of(was) * width_of(was)](Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += size) {
      weights(std::span(numbers).subspan(first, size));
    }
  });
}

/// Multiplies the sums of earlier blocks by exp(new maximum - old), not by exp(old - new).
Tensor rescaled_the_other_way(const Tensor& was, const Tensor& is) {
  if (was.operands()[1].kind() != Kind::exp || is.operands()[1].kind() != Kind::exp) {
    return is;
  }
  const Tensor& change = is.operands()[1].operands()[0];
  return is_made_alike(was.operands()[1].operands()[0], change)
             ? multiply(is.operands()[0], exp(subtract(change.operands()[1], change.operands()[0])))
             : is;
}

constexpr MistakeRow rows_on_pages[] = {
    {"exp2", "softmax uses exp2, not exp: powers of 2, not of e", softmax_line, by_rows<by_powers_of_2>},
    {"no-normalisation", "the exponentials are not divided by their sum", softmax_line,
     by_rows<[](std::span<float> row) { exponentials(row, 0, std::nullopt); }>},
    {"one-plus-sum", "the exponentials are divided by 1 + their sum", softmax_line,
     by_rows<[](std::span<float> row) { exponentials(row, 0, 1.0F); }>},
    {"softmax-twice", "softmax is applied twice", softmax_line, each<Kind::softmax, twice>},
};

constexpr MistakeRow softmax_rows[] = {
    {"scaled-after-softmax", "the weights are scaled after softmax, instead of the scores before it", scaling_line,
     always<scaled_after>},
    {"block-rescale-sign", "sums of earlier blocks are multiplied by exp(new maximum - old), the reciprocal",
     "row_sum * torch.exp(row_max - new_row_max)", each<Kind::multiplied, rescaled_the_other_way>},
    {"softmax-of-unscaled",
     "softmax is applied to scores that are not scaled: not divided by the square root of the keys' dimension",
     scaling_line, [](Steps) { return of_times(1); }},
    {"softmax-of-unmasked", "softmax is applied to scores that are not masked", mask_line,
     each<Kind::softmax, of_unmasked<true, false>>},
    {"softmax-of-raw", "softmax is applied to scores that are neither masked nor scaled", mask_line,
     each<Kind::softmax, of_unmasked<false, false>>},
    {"mask-after-softmax", "the exponentials are divided by the sum of all of a row, not of the visible ones alone",
     softmax_line, each<Kind::softmax, of_unmasked<true, true>>},
    {"scaled-twice", "the scores are scaled twice", scaling_line, [](Steps) { return of_times(-1); }},
    {"no-normalisation-of-shifted", "exp(scores - max) is not divided by its sum", softmax_line,
     by_rows<[](std::span<float> row) { exponentials(row, std::ranges::max(row), std::nullopt); }>},
    {"one-plus-sum-of-shifted", "exp(scores - max) is divided by 1 + its sum", softmax_line,
     by_rows<[](std::span<float> row) { exponentials(row, std::ranges::max(row), 1.0F); }>},
    {"no-exp", "the scores are divided by their sum, without exp", softmax_line, by_rows<without_exp>},
    {"log-softmax", "this is log_softmax: the logarithms of the weights", softmax_line, by_rows<logarithms>},
    {"softmax-of-all", "softmax is taken over the whole matrix, not over each row", softmax_line,
     each<Kind::softmax, over_matrix>},
    {"mask-filled-with-nan", "masked scores are nan or inf, not -inf: their rows' weights are nan", mask_line,
     by_rows<no_numbers_where_hidden>},
    {"weights-uniform", "all visible tokens have the same weight", softmax_line, by_rows<all_alike>},
    {"sigmoid", "sigmoid is applied to each score, not softmax to each row", softmax_line, by_rows<sigmoids>},
    {"relu-for-exp", "relu in place of exp", softmax_line, by_rows<relus>},
    {"largest-alone", "the largest score has all the weight: argmax", softmax_line, by_rows<largest_alone>},
};

}  // namespace

std::span<const MistakeRow> softmax_rows_on_pages() { return rows_on_pages; }

std::vector<Mistake> softmax_mistakes() {
  std::vector<Mistake> table = made(softmax_rows, {});
  for (const std::int64_t axis : {0, 1, 2}) {
    const std::string dim = "dim " + std::to_string(axis);
    table.push_back({"softmax-dim-" + std::to_string(axis), "softmax is taken over " + dim + ", not over the last axis",
                     softmax_line, of_hidden_along(axis)});
  }
  return table;
}

}  // namespace attn
