#include "walk/mistakes/subjects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "text/numbers.hpp"
#include "torch/torch.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

/// Returns true if the scores before softmax are hidden by a mask.
bool mask_before(const Tensor& softmax) {
  const Tensor* scores = &softmax.operands()[0];
  while (scores->kind() == Kind::scaled) {
    scores = &scores->operands()[0];
  }
  return hides(*scores);
}

/// Replaces softmax by a function of each row of scores.
template <class Row>
Rewriter::Rule softmax_by_rows(Row row) {
  return for_each(Kind::softmax,
                  [row](const Tensor&, const Tensor& is) { return made_by_rows(is.operands()[0], row); });
}

float sum(std::span<const float> row) { return std::accumulate(row.begin(), row.end(), 0.0F); }

/// exp(scores - shift), divided by its sum plus `more`; not divided if `more` is empty.
void exponentials(std::span<float> row, float shift, std::optional<float> more) {
  std::ranges::transform(row, row.begin(), [shift](float score) { return std::exp(score - shift); });
  const float divisor = more ? sum(row) + *more : 1;
  std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
}

void by_powers_of_2(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score *= std::log(2.0F); });
  exponentials(row, largest_of(row), 0.0F);
}

void without_exp(std::span<float> row) {
  std::ranges::replace(row, -infinity, 0.0F);
  divide_by_sum(row);
}

void logarithms(std::span<float> row) {
  Numbers weights(row.begin(), row.end());
  const float most = largest_of(row);
  exponentials(weights, most, std::nullopt);
  const float log_sum = most + std::log(sum(weights));
  std::ranges::for_each(row, [log_sum](float& score) { score -= log_sum; });
}

void all_alike(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score = std::isinf(score) ? score : 0; });
  exponentials(row, 0, 0.0F);
}

void no_numbers_where_hidden(std::span<float> row) {
  const bool is_hidden = std::ranges::find(row, -infinity) != row.end();
  exponentials(row, is_hidden ? std::numeric_limits<float>::quiet_NaN() : largest_of(row), 0.0F);
}

void sigmoids(std::span<float> row) {
  std::ranges::transform(row, row.begin(), [](float score) { return 1 / (1 + std::exp(-score)); });
}

void relus(std::span<float> row) {
  std::ranges::transform(row, row.begin(), [](float score) { return std::max(score, 0.0F); });
  divide_by_sum(row);
}

void largest_alone(std::span<float> row) {
  const float most = largest_of(row);
  std::ranges::transform(row, row.begin(), [most](float score) { return score == most ? 1.0F : 0.0F; });
}

void by_length(std::span<float> row) {
  exponentials(row, largest_of(row), std::nullopt);
  const float length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0F));
  std::ranges::for_each(row, [length](float& one) { one /= length; });
}

/// Carries the sum of the exponentials from row to row and, if `is_ever`, from matrix to matrix.
Rewriter::Rule softmax_by_running_sums(bool is_ever) {
  return for_each(Kind::softmax, [is_ever](const Tensor& was, const Tensor& is) {
    return made_of(is.operands()[0], [is_ever, width = width_of(was), rows = rows_of(was)](Numbers& numbers) {
      float running = 0;
      for (std::size_t row = 0; row * width < numbers.size(); ++row) {
        const auto own = std::span(numbers).subspan(row * width, width);
        exponentials(own, largest_of(own), std::nullopt);
        running = sum(own) + (row % rows == 0 && !is_ever ? 0 : running);
        std::ranges::for_each(own, [running](float& one) { one /= running; });
      }
    });
  });
}

/// Softmax in blocks of keys that does not rescale what earlier blocks gave when the maximum grows.
Rewriter::Rule softmax_by_blocks(std::size_t size, bool rescales_sum) {
  return softmax_by_rows([size, rescales_sum](std::span<float> row) {
    float largest = -infinity;
    float total = 0;
    for (std::size_t first = 0; first < row.size(); first += size) {
      const auto block = row.subspan(first, std::min(size, row.size() - first));
      const float before = std::exchange(largest, std::max(largest, largest_of(block)));
      exponentials(block, largest == -infinity ? 0 : largest, std::nullopt);
      total = sum(block) + (rescales_sum && total > 0 ? total * std::exp(before - largest) : total);
    }
    std::ranges::for_each(row, [total](float& one) { one /= total; });
  });
}

/// Divides each column by the sum of the row with its number: keepdim is missing.
Tensor divided_by_other_sums(const Tensor& was, const Tensor& is) {
  if (was.dim() < 2 || rows_of(was) != width_of(was)) {
    return is;
  }
  return made_by_blocks(is.operands()[0], rows_of(was) * width_of(was),
                        [width = width_of(was)](std::span<float> matrix) {
                          Numbers sums;
                          for (std::size_t first = 0; first < matrix.size(); first += width) {
                            const auto row = matrix.subspan(first, width);
                            exponentials(row, largest_of(row), std::nullopt);
                            sums.push_back(sum(row));
                          }
                          for (std::size_t i = 0; i < matrix.size(); ++i) {
                            matrix[i] /= sums[i % width];
                          }
                        });
}

/// Hides later tokens from each one where the program has no mask.
Tensor softmax_of_masked(const Tensor& was, const Tensor& is) {
  if (was.dim() < 2 || mask_before(was)) {
    return is;
  }
  return softmax(masked_fill(is.operands()[0], torch::mask_above(was.size(-2), was.size(-1), 1), -infinity));
}

/// Softmax with the score changed where a token meets itself.
template <class Change>
Rewriter::Rule softmax_with_diagonal(Change change) {
  return for_each(Kind::softmax, [change](const Tensor& was, const Tensor& is) {
    return was.dim() < 2 || rows_of(was) != width_of(was)
               ? is
               : softmax(made_of(is.operands()[0], [change, width = width_of(was)](Numbers& numbers) {
                   for (std::size_t row = 0; row * width < numbers.size(); ++row) {
                     float& score = numbers[row * width + row % width];
                     score = change(score);
                   }
                 }));
  });
}

/// Sparsemax: the nearest weights that sum to 1; Martins and Astudillo 2016, algorithm 1.
void sparsemax(std::span<float> row) {
  Numbers sorted(row.begin(), row.end());
  std::ranges::sort(sorted, std::ranges::greater());
  float total = 0;
  float threshold = 0;
  float above = 0;
  for (const float score : sorted) {
    total += score;
    above += 1;
    if (above * score + 1 > total) {
      threshold = (total - 1) / above;
    }
  }
  std::ranges::for_each(row, [threshold](float& one) { one = std::max(one - threshold, 0.0F); });
}

/// Softmax over all keys but one, whose weight is 0.
void without_key(std::span<float> row, std::size_t key) {
  row[key] = -infinity;
  exponentials(row, largest_of(row), 0.0F);
}

/// Divides the weights by their sum over the heads.
Tensor divided_over_heads(const Tensor& was, const Tensor& is) {
  if (!has_axis(was, 1) || was.dim() != 4) {
    return is;
  }
  return made_of(is, [inner = static_cast<std::size_t>(was.size(2) * was.size(3)),
                      heads = static_cast<std::size_t>(was.size(1))](Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); i += i % inner + 1 == inner ? (heads - 1) * inner + 1 : 1) {
      float total = 0;
      for (std::size_t head = 0; head < heads; ++head) {
        total += numbers[i + head * inner];
      }
      for (std::size_t head = 0; head < heads; ++head) {
        numbers[i + head * inner] /= total;
      }
    }
  });
}

/// Softmax of what a function gives for each visible score.
template <class Function>
Rewriter::Rule softmax_of_each(Function function) {
  return softmax_by_rows([function](std::span<float> row) {
    std::ranges::for_each(row, [&](float& score) { score = std::isinf(score) ? score : function(score); });
    exponentials(row, largest_of(row), 0.0F);
  });
}

/// Softmax of scores minus the tokens' distance times the head's slope, as in ALiBi.
Tensor softmax_with_distances(const Tensor& was, const Tensor& is) {
  if (was.dim() < 2) {
    return is;
  }
  const Tensor scores = made_of(is.operands()[0], [rows = was.size(-2), columns = was.size(-1),
                                                   heads = was.dim() == 4 ? was.size(1) : 1](Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const double slope =
          std::exp2(-8.0 * static_cast<double>(place / columns / rows % heads + 1) / static_cast<double>(heads));
      numbers[i] += static_cast<float>(slope * static_cast<double>(place % columns - place / columns % rows));
    }
  });
  return softmax(scores);
}

/// Multiplies the sums of earlier blocks by exp(new maximum - old), not by exp(old - new).
Tensor rescaled_the_other_way(const Tensor& was, const Tensor& is) {
  if (was.operands()[1].kind() != Kind::exp || is.operands()[1].kind() != Kind::exp) {
    return is;
  }
  const Tensor& change = is.operands()[1].operands()[0];
  if (!is_made_alike(was.operands()[1].operands()[0], change)) {
    return is;
  }
  return multiply(is.operands()[0], exp(subtract(change.operands()[1], change.operands()[0])));
}

/// Softmax along another axis, with masked scores of -1e9; if all are masked, the weights are equal.
Rewriter::Rule softmax_of_hidden_along(std::int64_t axis) {
  return for_each(Kind::softmax, [axis](const Tensor& was, const Tensor& is) {
    const Tensor finite =
        made_of(is.operands()[0], [](Numbers& numbers) { std::ranges::replace(numbers, -infinity, -1e9F); });
    return axis < was.dim() - 1 ? softmax_over(finite, axis) : is;
  });
}

/// The number whose root divides the scores before softmax; 0 if they are not divided.
std::int64_t root_before(const Tensor& softmax) {
  const Tensor* scores = &softmax.operands()[0];
  while (scores->operation().facts().root_of == 0 && scores->kind() == Kind::masked) {
    scores = &scores->operands()[0];
  }
  return scores->operation().facts().root_of;
}

/// Softmax of the scores times a power of the root that divides them, whichever steps are shown.
Rewriter::Rule softmax_of_times(double power) {
  return for_each(Kind::softmax, [power](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = root_before(was);
    return root_of > 1 ? softmax(divide(is.operands()[0], std::pow(static_cast<double>(root_of), -power / 2), "")) : is;
  });
}

/// Softmax of the scores before masking and, unless `is_scaled`, before scaling; `is_hidden_later` masks it with 0.
Rewriter::Rule softmax_of_unmasked(bool is_scaled, bool is_hidden_later = false) {
  return for_each(Kind::softmax, [is_scaled, is_hidden_later](const Tensor& was, const Tensor& is) {
    Tensor scores = is.operands()[0];
    const std::int64_t root_of = root_before(was);
    std::optional<Tensor> mask;
    while (scores.kind() == Kind::masked || scores.operation().facts().root_of > 0) {
      mask = scores.kind() == Kind::masked ? scores.operands()[1] : mask;
      scores = Tensor(scores.operands()[0]);
    }
    if (root_of == 0 || !mask) {
      return is;
    }
    const Tensor weights = softmax(is_scaled ? divide(scores, std::sqrt(static_cast<double>(root_of)), "") : scores);
    return is_hidden_later ? masked_fill(weights, *mask, 0) : weights;
  });
}

Tensor softmax_twice(const Tensor&, const Tensor& is) { return softmax(is); }

Tensor softmax_over_matrix(const Tensor& was, const Tensor& is) {
  return made_by_blocks(is.operands()[0], rows_of(was) * width_of(was),
                        [](std::span<float> matrix) { exponentials(matrix, largest_of(matrix), 0.0F); });
}

Tensor scaled_after(const Tensor& was, const Tensor& is) {
  if (was.operation().facts().root_of > 0) {
    return is.operands()[0];
  }
  const std::int64_t root_of = was.kind() == Kind::softmax ? root_before(was) : 0;
  return root_of == 0 ? is : divide(is, std::sqrt(static_cast<double>(root_of)), "");
}

constexpr MistakeRow softmax_rows_on_pages[] = {
    {"exp2", "softmax uses exp2, not exp: powers of 2, not of e", softmax_line,
     [](Steps) { return softmax_by_rows(by_powers_of_2); }},
    {"no-normalisation", "the exponentials are not divided by their sum", softmax_line,
     [](Steps) { return softmax_by_rows([](std::span<float> row) { exponentials(row, 0, std::nullopt); }); }},
    {"one-plus-sum", "the exponentials are divided by 1 + their sum", softmax_line,
     [](Steps) { return softmax_by_rows([](std::span<float> row) { exponentials(row, 0, 1.0F); }); }},
    {"softmax-twice", "softmax is applied twice", softmax_line, each<Kind::softmax, softmax_twice>},
};

constexpr MistakeRow softmax_rows[] = {
    {"scaled-after-softmax", "the weights are scaled after softmax, instead of the scores before it", scaling_line,
     always<scaled_after>},
    {"block-rescale-sign", "sums of earlier blocks are multiplied by exp(new maximum - old), the reciprocal",
     "row_sum * torch.exp(row_max - new_row_max)", each<Kind::multiplied, rescaled_the_other_way>, true},
    {"softmax-of-unscaled",
     "softmax is applied to scores that are not scaled: not divided by the square root of the keys' dimension",
     scaling_line, [](Steps) { return softmax_of_times(1); }},
    {"softmax-of-unmasked", "softmax is applied to scores that are not masked", mask_line,
     [](Steps) { return softmax_of_unmasked(true); }},
    {"softmax-of-raw", "softmax is applied to scores that are neither masked nor scaled", mask_line,
     [](Steps) { return softmax_of_unmasked(false); }},
    {"mask-after-softmax", "the exponentials are divided by the sum of all of a row, not of the visible ones alone",
     softmax_line, [](Steps) { return softmax_of_unmasked(true, true); }},
    {"scaled-twice", "the scores are scaled twice", scaling_line, [](Steps) { return softmax_of_times(-1); }},
    {"no-normalisation-of-shifted", "exp(scores - max) is not divided by its sum", softmax_line,
     [](Steps) {
       return softmax_by_rows([](std::span<float> row) { exponentials(row, largest_of(row), std::nullopt); });
     }},
    {"one-plus-sum-of-shifted", "exp(scores - max) is divided by 1 + its sum", softmax_line,
     [](Steps) { return softmax_by_rows([](std::span<float> row) { exponentials(row, largest_of(row), 1.0F); }); }},
    {"no-exp", "the scores are divided by their sum, without exp", softmax_line,
     [](Steps) { return softmax_by_rows(without_exp); }},
    {"log-softmax", "this is log_softmax: the logarithms of the weights", softmax_line,
     [](Steps) { return softmax_by_rows(logarithms); }},
    {"softmax-of-all", "softmax is taken over the whole matrix, not over each row", softmax_line,
     each<Kind::softmax, softmax_over_matrix>},
    {"mask-filled-with-nan", "masked scores are nan or inf, not -inf: their rows' weights are nan", mask_line,
     [](Steps) { return softmax_by_rows(no_numbers_where_hidden); }},
    {"weights-uniform", "all visible tokens have the same weight", softmax_line,
     [](Steps) { return softmax_by_rows(all_alike); }},
    {"sigmoid", "sigmoid is applied to each score, not softmax to each row", softmax_line,
     [](Steps) { return softmax_by_rows(sigmoids); }},
    {"relu-for-exp", "relu in place of exp", softmax_line, [](Steps) { return softmax_by_rows(relus); }},
    {"largest-alone", "the largest score has all the weight: argmax", softmax_line,
     [](Steps) { return softmax_by_rows(largest_alone); }},
    {"first-key-left-out", "softmax leaves out the first key: off by one", "for j in range(num_tokens)",
     [](Steps) { return softmax_by_rows([](std::span<float> row) { without_key(row, 0); }); }},
    {"last-key-left-out", "softmax leaves out the last key: off by one", "for j in range(num_tokens)",
     [](Steps) { return softmax_by_rows([](std::span<float> row) { without_key(row, row.size() - 1); }); }},
    {"diagonal-0", "the score of each token with itself is 0", softmax_line,
     [](Steps) { return softmax_with_diagonal([](float) { return 0.0F; }); }, true},
    {"diagonal-hidden", "each token is hidden from itself", softmax_line,
     [](Steps) { return softmax_with_diagonal([](float) { return -infinity; }); }, true},
    {"diagonal-plus-1", "1 is added to the score of each token with itself", softmax_line,
     [](Steps) { return softmax_with_diagonal([](float score) { return score + 1; }); }, true},
    {"sparsemax", "sparsemax in place of softmax: scores below a threshold get the weight 0", softmax_line,
     [](Steps) { return softmax_by_rows(sparsemax); }, true},
    {"divided-by-other-sums", "each column is divided by the sum of the row with its number: keepdim is missing",
     "exps / exps.sum(dim=-1, keepdim=True)", each<Kind::softmax, divided_by_other_sums>, true},
    {"masked-unasked", "later tokens are hidden by a causal mask, where the program has none", softmax_line,
     each<Kind::softmax, softmax_of_masked>, true},
    {"divided-over-heads", "the weights are divided by their sum over the heads", softmax_line,
     each<Kind::softmax, divided_over_heads>},
    {"divided-by-length", "the exponentials are divided by the root of the sum of their squares, not by their sum",
     softmax_line, [](Steps) { return softmax_by_rows(by_length); }},
    {"running-sum", "the sum of the exponentials is not reset to 0 for each row", softmax_line,
     [](Steps) { return softmax_by_running_sums(false); }},
    {"running-sum-of-all", "the sum of the exponentials is not reset to 0 for each row, head and entry", softmax_line,
     [](Steps) { return softmax_by_running_sums(true); }},
    {"alibi", "a term for the distance of tokens is added to the scores: ALiBi", softmax_line,
     each<Kind::softmax, softmax_with_distances>},
    {"softmax-dim-0", "softmax is taken over dim 0, not over the last axis", softmax_line,
     [](Steps) { return softmax_of_hidden_along(0); }},
    {"softmax-dim-1", "softmax is taken over dim 1, not over the last axis", softmax_line,
     [](Steps) { return softmax_of_hidden_along(1); }},
    {"softmax-dim-2", "softmax is taken over dim 2, not over the last axis", softmax_line,
     [](Steps) { return softmax_of_hidden_along(2); }},
};

}  // namespace

Mistake sum_plus_number(double addend, bool is_shifted) {
  return {"sum-plus-number",
          text::shortest_text(static_cast<float>(addend)) + " is added to the sum of the exponentials" +
              (is_shifted ? " of the scores minus their largest" : ""),
          softmax_line, softmax_by_rows([more = static_cast<float>(addend), is_shifted](std::span<float> row) {
            exponentials(row, is_shifted ? largest_of(row) : 0, more);
          })};
}

std::span<const MistakeRow> softmax_mistakes_on_pages() { return softmax_rows_on_pages; }

std::vector<Mistake> softmax_mistakes() {
  std::vector<Mistake> table = made(softmax_rows, {});
  for (const std::size_t size : {1U, 2U, 4U}) {
    for (const bool rescales_sum : {true, false}) {
      table.push_back({"blocks-not-rescaled",
                       std::string("in blocks of ") + std::to_string(size) + (size == 1 ? " key" : " keys") +
                           ", earlier weights are not rescaled when a block raises the maximum" +
                           (rescales_sum ? ", but their sum is" : ", nor is their sum"),
                       "weights * torch.exp(old_max - new_max)", softmax_by_blocks(size, rescales_sum), true});
    }
  }
  for (const float cap : {1.0F, 10.0F, 20.0F, 30.0F, 50.0F}) {
    table.push_back({"soft-capped",
                     "the scores are soft-capped at " + text::shortest_text(cap) + ", by tanh, before softmax",
                     softmax_line, softmax_of_each([cap](float score) { return cap * std::tanh(score / cap); })});
  }
  return table;
}

}  // namespace attn
