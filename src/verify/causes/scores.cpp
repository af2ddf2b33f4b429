#include <cmath>
#include <cstddef>
#include <numeric>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "verify/causes/mistakes.hpp"

namespace attn {
namespace {

/// A rule for another mask. `is_hidden` gets a column's distance to the right of its row, and its distance from the
/// last column.
template <class IsHidden>
Rewriter::Rule masked_at(IsHidden is_hidden) {
  return [is_hidden](const Tensor& was, const Tensor& is) {
    if (!hides(was)) {
      return is;
    }
    const Shape& shape = was.operands()[1].shape();
    const Tensor mask = leaf(shape, DType::boolean, "mask", [shape, is_hidden] {
      Block<bool> block(shape);
      const std::int64_t columns = shape.back();
      const std::int64_t rows = shape[shape.size() - 2];
      for (std::size_t i = 0; i < block.size(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        block[i] = is_hidden(place % columns - place / columns % rows, columns - 1 - place % columns);
      }
      return Contents(std::move(block));
    });
    return masked_fill(is.operands()[0], mask, -infinity);
  };
}

/// Combines scores and mask cell by cell: `combine` gets a score, its mask and its index.
template <class Combine>
Tensor combined(const Tensor& masked, Combine combine) {
  return made_of(masked.operands()[0], [mask = masked.operands()[1], combine](Numbers& numbers) {
    const Numbers hidden = numbers_of(mask);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = combine(numbers[i], hidden[i % hidden.size()], static_cast<std::int64_t>(i));
    }
  });
}

/// Adds one number to visible scores and another to hidden ones.
Rewriter::Rule with_added(float visible, float hidden) {
  return [visible, hidden](const Tensor& was, const Tensor& is) {
    return !hides(was) ? is : combined(is, [visible, hidden](float score, float mask, std::int64_t) {
      return score + (mask != 0 ? hidden : visible);
    });
  };
}

/// Masks only the slices along an axis for which `masks` is true.
Rewriter::Rule masked_where(std::size_t axis, bool (*masks)(std::int64_t entry, std::int64_t count)) {
  return [axis, masks](const Tensor& was, const Tensor& is) {
    if (!hides(was) || !has_axis(was, axis)) {
      return is;
    }
    const auto stride = row_major_strides(was.shape())[axis];
    return combined(is, [stride, count = was.shape()[axis], masks](float score, float hidden, std::int64_t place) {
      return masks(place / stride % count, count) && hidden != 0 ? -infinity : score;
    });
  };
}

/// Applies a mask; in rows that it hides completely, all scores are alike or, if they are kept, as if not masked: a
/// large negative number was filled in or added.
Rewriter::Rule with_hidden_rows(const Rewriter::Rule& mask, bool are_kept) {
  return [mask, are_kept](const Tensor& was, const Tensor& is) {
    return !hides(was) ? is : made_of(mask(was, is), [scores = is.operands()[0], are_kept](Numbers& numbers) {
      const Numbers own = numbers_of(scores);
      for (std::size_t first = 0; first < numbers.size(); first += width_of(scores)) {
        const auto row = std::span(numbers).subspan(first, width_of(scores));
        if (std::ranges::max(row) == -infinity) {
          std::ranges::transform(std::span(own).subspan(first, row.size()), row.begin(),
                                 [are_kept](float score) { return are_kept ? score : -1e9F; });
        }
      }
    });
  };
}

/// The rule for a mask that is applied after scaling instead of before.
Rewriter::Rule scaled_before(const Rewriter::Rule& mask) {
  return [mask](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = was.operation().facts().root_of;
    if (root_of == 0 || !hides(was.operands()[0]) || !hides(is.operands()[0])) {
      return is;
    }
    const Tensor& hidden = is.operands()[0];
    const Tensor masked = masked_fill(divide(hidden.operands()[0], std::sqrt(static_cast<double>(root_of)), ""),
                                      hidden.operands()[1], -infinity);
    return mask(masked, masked);
  };
}

Tensor with_inverted_mask(const Tensor& was, const Tensor& is) {
  return hides(was) ? masked_fill(is.operands()[0], inverted(is.operands()[1]), -infinity) : is;
}

/// Masks rows of hidden tokens in place of their columns, if each entry of a batch has its own mask. Each number is as
/// good a fill: softmax of equal scores gives equal weights.
Tensor masked_by_queries(const Tensor& was, const Tensor& is) {
  const bool is_by_entry = hides(was) && was.operands()[1].dim() == 3;
  return is_by_entry ? masked_fill(is.operands()[0], transpose(is.operands()[1], 1, 2), -1e4) : is;
}

bool is_first(std::int64_t entry, std::int64_t) { return entry == 0; }
bool is_not_last(std::int64_t entry, std::int64_t count) { return entry != count - 1; }

constexpr MistakeRow rows_hiding_rows[] = {
    {"mask-hides-itself", "the mask hides the diagonal as well: off by one", mask_line,
     [](Steps) { return masked_beyond(-1); }},
    {"mask-inverted", "the mask is inverted: it hides the tokens that should be visible", mask_line,
     always<with_inverted_mask>},
    {"mask-hides-two", "the mask hides the diagonal and the token before it as well: off by two", mask_line,
     [](Steps) { return masked_beyond(-2); }},
};

constexpr MistakeRow mask_rows[] = {
    {"mask-of-queries", "padded queries are masked, not padded keys: their weights are all equal",
     "attn_scores.masked_fill(mask, -torch.inf), with whole columns in mask", always<masked_by_queries>},
    {"mask-head-0-alone", "only head 0 is masked", mask_line, [](Steps) { return masked_where(1, is_first); }},
    {"mask-not-last-head", "the last head is not masked", mask_line,
     [](Steps) { return masked_where(1, is_not_last); }},
    {"mask-entry-0-alone", "only entry 0 of the batch is masked", mask_line,
     [](Steps) { return masked_where(0, is_first); }},
    {"mask-last-column", "the mask hides only the last token: a padding mask, not a causal one", mask_line,
     [](Steps) { return masked_at([](std::int64_t, std::int64_t from_last) { return from_last == 0; }); }},
};

}  // namespace

Rewriter::Rule masked_beyond(std::int64_t beyond) {
  return [beyond](const Tensor& was, const Tensor& is) {
    const std::int64_t window = hides(was) ? was.operands()[1].operation().facts().window : 0;
    const auto is_hidden = [beyond, window](std::int64_t right, std::int64_t) {
      return right > beyond || (window > 0 && right <= -window);
    };
    return masked_at(is_hidden)(was, is);
  };
}

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

std::vector<Mistake> score_mistakes() {
  std::vector<Mistake> table = made(mask_rows, {});
  for (const Mistake& one : made(rows_hiding_rows, {})) {
    table.push_back(one);
    for (const bool are_kept : {false, true}) {
      table.push_back({one.name, one.sentence, one.instead, with_hidden_rows(one.rule, are_kept)});
    }
  }
  for (const std::int64_t width : {1, 2, 3}) {
    table.push_back({"mask-window", "the mask hides earlier tokens as well: a window of " + std::to_string(width),
                     mask_line,
                     masked_at([width](std::int64_t right, std::int64_t) { return right > 0 || right <= -width; })});
  }
  const auto add = [&table](const std::string& name, const std::string& sentence, const Rewriter::Rule& rule) {
    table.push_back({name, sentence, mask_line, rule});
    table.push_back({name, sentence, mask_line, scaled_before(rule)});
  };
  add("mask-added", "the mask of 0 and 1 is added to the scores", with_added(0, 1));
  add("mask-subtracted", "the mask of 0 and 1 is subtracted from the scores", with_added(0, -1));
  add("keep-mask-added", "1 is added to the visible scores, and the others are not hidden", with_added(1, 0));
  for (const float value : {1e9F, -1.0F, -10.0F, -100.0F}) {
    const std::string text = text::shortest_text(value);
    add("mask-filled-with-" + text, "masked scores are " + text + ", not -inf", filled_with(value));
  }
  std::ranges::move(made(softmax_rows, {}), std::back_inserter(table));
  for (const std::int64_t axis : {0, 1, 2}) {
    const std::string dim = "dim " + std::to_string(axis);
    table.push_back({"softmax-dim-" + std::to_string(axis), "softmax is taken over " + dim + ", not over the last axis",
                     softmax_line, of_hidden_along(axis)});
  }
  return table;
}

}  // namespace attn
