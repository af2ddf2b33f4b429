#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes.hpp"

namespace attn {
namespace {

using Numbers = std::vector<float>;

Numbers numbers_of(const Tensor& tensor) {
  return std::visit([](const auto& block) { return Numbers(block.begin(), block.end()); }, *tensor.array().contents());
}

/// What a function makes of a tensor's numbers, row-major; the shape stays.
template <class Function>
Tensor made_of(const Tensor& x, Function f) {
  return leaf(
      x.shape(), DType::float32, x.name().empty() ? "mistaken" : x.name(),
      [x, f] {
        Numbers numbers = numbers_of(x);
        f(numbers);
        Block<float> block(x.shape());
        std::ranges::copy(numbers, block.begin());
        return Contents(std::move(block));
      },
      x.kernels());
}

std::size_t width_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.size(-1)); }

// ---- Slices: heads, entries of the batch, rows -----------------------------------------------------

/// Each slice along an axis is the one that `source` says of it, or 0 where that is negative.
template <class Source>
Tensor with_slices(const Tensor& x, std::size_t axis, Source source) {
  const Shape strides = row_major_strides(x.shape());
  const auto count = x.shape()[axis];
  const auto stride = strides[axis];
  return made_of(x, [=](Numbers& numbers) {
    const Numbers own = numbers;
    for (std::int64_t i = 0; i < std::ssize(own); ++i) {
      const std::int64_t entry = i / stride % count;
      const std::int64_t from = source(entry, count);
      numbers[static_cast<std::size_t>(i)] =
          from < 0 ? 0.0F : own[static_cast<std::size_t>(i + (from - entry) * stride)];
    }
  });
}

/// What has heads of its own: queries, keys and values split, scores, weights, contexts.
bool has_heads(const Tensor& was) {
  const bool is_split = was.kind() == Kind::transpose && was.operands()[0].kind() == Kind::view &&
                        was.operation().facts().axes == std::array<std::size_t, 2>{1, 2};
  return was.dim() == 4 && was.size(1) > 1 && (is_split || was.kind() == Kind::matmul || was.kind() == Kind::softmax);
}

bool has_batch(const Tensor& was) {
  return was.dim() >= 3 && was.size(0) > 1 &&
         (was.kind() == Kind::linear || was.kind() == Kind::matmul || was.kind() == Kind::softmax ||
          was.kind() == Kind::stack);
}

bool has_rows(const Tensor& was) {
  return was.dim() >= 2 && (was.kind() == Kind::linear || was.kind() == Kind::matmul || was.kind() == Kind::softmax);
}

std::int64_t first_entry(std::int64_t, std::int64_t) { return 0; }
std::int64_t reversed_entry(std::int64_t entry, std::int64_t count) { return count - 1 - entry; }

template <class Has, class Source>
Rewriter::Rule sliced(Has has, std::int64_t axis, Source source) {
  return [=](const Tensor& was, const Tensor& is) {
    return has(was) ? with_slices(is, static_cast<std::size_t>(axis < 0 ? was.dim() + axis : axis), source) : is;
  };
}

/// Numbers of one row of each matrix.
Rewriter::Rule row_is(bool is_first, float value) {
  return [=](const Tensor& was, const Tensor& is) {
    if (!has_rows(was)) {
      return is;
    }
    const std::int64_t rows = was.size(-2);
    const std::int64_t width = was.size(-1);
    return made_of(is, [=](Numbers& numbers) {
      for (std::int64_t i = 0; i < std::ssize(numbers); ++i) {
        if (i / width % rows == (is_first ? 0 : rows - 1)) {
          numbers[static_cast<std::size_t>(i)] = value;
        }
      }
    });
  };
}

/// The heads of contexts [b, heads, tokens, head_dim] in the columns that `column` says.
Tensor joined_reversed(const Tensor& was, const Tensor& is) {
  const bool joins = was.kind() == Kind::view && was.dim() == 3 && was.operands()[0].kind() == Kind::contiguous &&
                     was.operands()[0].dim() == 4;
  return joins ? view(with_slices(is.operands()[0], 2, reversed_entry), was.shape()) : is;
}

Tensor joined_innermost(const Tensor& was, const Tensor& is) {
  const bool joins = was.kind() == Kind::view && was.dim() == 3 && was.operands()[0].kind() == Kind::contiguous &&
                     was.operands()[0].dim() == 4;
  return joins ? view(contiguous(transpose(is.operands()[0], 2, 3)), was.shape()) : is;
}

/// context.view(b, tokens, d_out) of [b, heads, tokens, head_dim], whatever is shown of what lies between.
Tensor joined_by_view(const Tensor& was, const Tensor& is) {
  const bool joins = was.kind() == Kind::view && was.dim() == 3 && was.operands()[0].kind() == Kind::contiguous &&
                     was.operands()[0].dim() == 4;
  return joins ? view(contiguous(transpose(is.operands()[0], 1, 2)), was.shape()) : is;
}

// ---- Projections ----------------------------------------------------------------------------------

constexpr std::array<const char*, 3> projections = {"W_query", "W_key", "W_value"};
constexpr std::array<const char*, 3> results = {"queries", "keys", "values"};

/// Queries, keys and values are made with the projections that `source` says.
Rewriter::Rule made_with(std::span<const Step> steps, std::array<std::size_t, 3> source, bool with_bias) {
  struct Projection {
    std::optional<Tensor> weight;
    std::optional<Tensor> bias;
  };
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
  return [by_section, whose, source, with_bias](const Tensor& was, const Tensor& is) {
    const bool is_product = was.kind() == Kind::linear || was.kind() == Kind::matmul;
    const auto found = is_product ? whose.find(was.operands()[1].id()) : whose.end();
    if (found == whose.end() || source[found->second.second] == found->second.second) {
      return is;
    }
    const Projection& other = by_section.at(found->second.first)[source[found->second.second]];
    if (!other.weight || other.weight->shape() != was.operands()[1].shape()) {
      return is;
    }
    if (was.kind() == Kind::matmul) {
      return matmul(is.operands()[0], *other.weight);
    }
    const std::optional<Tensor> own = is.operands().size() > 2 ? std::optional(is.operands()[2]) : std::nullopt;
    return linear(is.operands()[0], *other.weight, with_bias ? other.bias : own, "");
  };
}

/// The bias so many times.
Rewriter::Rule biased(float times) {
  return for_each(Kind::linear, [times](const Tensor& was, const Tensor& is) {
    if (was.operands().size() < 3) {
      return is;
    }
    const Tensor bias = made_of(is.operands()[2], [times](Numbers& numbers) {
      std::ranges::for_each(numbers, [times](float& one) { one *= times; });
    });
    return linear(is.operands()[0], is.operands()[1], bias, "");
  });
}

/// x [b, tokens, d] read as [tokens, b, d].
Tensor tokens_read_first(const Tensor& was, const Tensor& is) {
  const Tensor& x = is.operands()[0];
  if (x.dim() != 3 || x.size(0) < 2) {
    return is;
  }
  std::vector<Tensor> operands = is.operands();
  operands[0] = contiguous(transpose(view(contiguous(x), {x.size(1), x.size(0), x.size(2)}), 0, 1));
  return was.with_operands(std::move(operands));
}

// ---- Scores and masks -----------------------------------------------------------------------------

Tensor keys_reshaped(const Tensor& was, const Tensor& is) {
  const Tensor& right = is.operands()[1];
  return was.operands()[1].kind() == Kind::transpose && right.kind() == Kind::transpose
             ? matmul(is.operands()[0], view(contiguous(right.operands()[0]), right.shape()))
             : is;
}

Rewriter::Rule scores_divided_by(double divisor) {
  return [divisor](const Tensor& was, const Tensor& is) {
    return was.operation().facts().root_of > 0 ? divide(is.operands()[0], divisor, "") : is;
  };
}

Tensor scaled_in_first_head(const Tensor& was, const Tensor& is) {
  if (was.operation().facts().root_of == 0 || was.dim() != 4 || was.size(1) < 2) {
    return is;
  }
  const std::int64_t inner = was.size(2) * was.size(3);
  return made_of(is.operands()[0],
                 [inner, heads = was.size(1),
                  root = std::sqrt(static_cast<float>(was.operation().facts().root_of))](Numbers& numbers) {
                   for (std::size_t i = 0; i < numbers.size(); ++i) {
                     numbers[i] = static_cast<std::int64_t>(i) / inner % heads == 0 ? numbers[i] / root : numbers[i];
                   }
                 });
}

Rewriter::Rule filled_with(float value) {
  return [value](const Tensor& was, const Tensor& is) {
    return hides(was) ? masked_fill(is.operands()[0], is.operands()[1], value) : is;
  };
}

/// The mask as numbers beside scores, cell by cell.
template <class Combine>
Rewriter::Rule masked_by(Combine combine) {
  return [combine](const Tensor& was, const Tensor& is) {
    if (!hides(was)) {
      return is;
    }
    return made_of(is.operands()[0], [mask = is.operands()[1], combine](Numbers& numbers) {
      const Numbers hidden = numbers_of(mask);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = combine(numbers[i], hidden[i % hidden.size()]);
      }
    });
  };
}

/// Only the slices along an axis that `masks` says are masked.
template <class Masks>
Rewriter::Rule masked_where(std::size_t axis, Masks masks) {
  return [axis, masks](const Tensor& was, const Tensor& is) {
    const bool has_axis = was.dim() >= (axis == 0 ? 3 : 4) && was.size(static_cast<std::int64_t>(axis)) > 1;
    if (!hides(was) || !has_axis) {
      return is;
    }
    const std::int64_t stride = row_major_strides(was.shape())[axis];
    return made_of(
        is.operands()[0], [mask = is.operands()[1], stride, count = was.shape()[axis], masks](Numbers& numbers) {
          const Numbers hidden = numbers_of(mask);
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (masks(static_cast<std::int64_t>(i) / stride % count, count) && hidden[i % hidden.size()] != 0) {
              numbers[i] = -infinity;
            }
          }
        });
  };
}

Tensor with_inverted_mask(const Tensor& was, const Tensor& is) {
  if (!hides(was)) {
    return is;
  }
  const Tensor& mask = is.operands()[1];
  const Tensor inverted = leaf(mask.shape(), DType::boolean, "mask", [mask] {
    Block<bool> block = std::get<Block<bool>>(*mask.array().contents());
    std::ranges::transform(block, block.begin(), [](bool hidden) { return !hidden; });
    return Contents(std::move(block));
  });
  return masked_fill(is.operands()[0], inverted, -infinity);
}

// ---- Softmax --------------------------------------------------------------------------------------

/// Softmax written otherwise: what becomes of each row of its scores.
template <class Row>
Rewriter::Rule softmax_by_rows(Row row) {
  return for_each(Kind::softmax, [row](const Tensor& was, const Tensor& is) {
    return made_of(is.operands()[0], [row, width = width_of(was)](Numbers& numbers) {
      for (std::size_t first = 0; first < numbers.size(); first += width) {
        row(std::span(numbers).subspan(first, width));
      }
    });
  });
}

float largest(std::span<const float> row) { return *std::ranges::max_element(row); }
float sum(std::span<const float> row) { return std::accumulate(row.begin(), row.end(), 0.0F); }

/// exp(scores - shift), divided by its sum and `more`; not divided where there is no more.
void exponentials(std::span<float> row, float shift, std::optional<float> more) {
  std::ranges::transform(row, row.begin(), [shift](float score) { return std::exp(score - shift); });
  const float divisor = more ? sum(row) + *more : 1;
  std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
}

void by_powers_of_2(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score *= std::log(2.0F); });
  exponentials(row, largest(row), 0.0F);
}

void without_exp(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score = score == -infinity ? 0 : score; });
  const float divisor = sum(row);
  std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
}

void logarithms(std::span<float> row) {
  Numbers weights(row.begin(), row.end());
  const float most = largest(row);
  exponentials(weights, most, std::nullopt);
  const float log_sum = most + std::log(sum(weights));
  std::ranges::for_each(row, [log_sum](float& score) { score -= log_sum; });
}

void negated(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score = std::isinf(score) ? score : -score; });
  exponentials(row, largest(row), 0.0F);
}

void all_alike(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score = std::isinf(score) ? score : 0; });
  exponentials(row, 0, 0.0F);
}

/// The number whose root scores are divided by before softmax; 0 where there is none.
std::int64_t root_before(const Tensor& softmax) {
  const Tensor* scores = &softmax.operands()[0];
  while (scores->operation().facts().root_of == 0 && scores->kind() == Kind::masked) {
    scores = &scores->operands()[0];
  }
  return scores->operation().facts().root_of;
}

/// Softmax of its scores times this power of the root that they are divided by, whatever is shown of them.
Rewriter::Rule softmax_of_times(double power) {
  return for_each(Kind::softmax, [power](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = root_before(was);
    return root_of > 1 ? softmax(divide(is.operands()[0], std::pow(static_cast<double>(root_of), -power / 2), "")) : is;
  });
}

/// Softmax of what the scores were before they were masked, and unless `is_scaled`, before they were scaled.
Rewriter::Rule softmax_of_unmasked(bool is_scaled) {
  return for_each(Kind::softmax, [is_scaled](const Tensor& was, const Tensor& is) {
    Tensor scores = is.operands()[0];
    const std::int64_t root_of = root_before(was);
    bool is_masked = false;
    while (scores.kind() == Kind::masked || scores.operation().facts().root_of > 0) {
      is_masked = is_masked || scores.kind() == Kind::masked;
      scores = Tensor(scores.operands()[0]);
    }
    return root_of == 0 || !is_masked
               ? is
               : softmax(is_scaled ? divide(scores, std::sqrt(static_cast<double>(root_of)), "") : scores);
  });
}

Tensor softmax_twice(const Tensor&, const Tensor& is) { return softmax(is); }

Tensor softmax_over_matrix(const Tensor& was, const Tensor& is) {
  return made_of(is.operands()[0], [cells = width_of(was) * static_cast<std::size_t>(was.dim() < 2 ? 1 : was.size(-2))](
                                       Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += cells) {
      const auto matrix = std::span(numbers).subspan(first, cells);
      exponentials(matrix, largest(matrix), 0.0F);
    }
  });
}

Tensor scaled_after(const Tensor& was, const Tensor& is) {
  if (was.operation().facts().root_of > 0) {
    return is.operands()[0];
  }
  const Tensor* scaling = was.kind() == Kind::softmax ? &was.operands()[0] : nullptr;
  while (scaling != nullptr && scaling->operation().facts().root_of == 0) {
    scaling = scaling->kind() == Kind::masked ? &scaling->operands()[0] : nullptr;
  }
  return scaling == nullptr ? is : divide(is, std::sqrt(static_cast<double>(scaling->operation().facts().root_of)), "");
}

// ---- Precision ------------------------------------------------------------------------------------

/// The nearest number with so many significant bits, ties to even.
float rounded_to(float value, int bits) {
  int exponent = 0;
  const float scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(scaled), exponent - bits) : value;
}

Tensor rounded(const Tensor& x, int bits) {
  return x.dtype() != DType::float32 ? x : made_of(x, [bits](Numbers& numbers) {
    std::ranges::transform(numbers, numbers.begin(), [bits](float value) { return rounded_to(value, bits); });
  });
}

/// One product, its operands and its result in a format.
Rewriter::Rule product_in(int bits, bool is_result_rounded) {
  return [bits, is_result_rounded](const Tensor& was, const Tensor& is) {
    if (was.kind() != Kind::matmul && was.kind() != Kind::linear) {
      return is;
    }
    std::vector<Tensor> operands;
    std::ranges::transform(is.operands(), std::back_inserter(operands),
                           [bits](const Tensor& operand) { return rounded(operand, bits); });
    const Tensor product = is.with_operands(std::move(operands));
    return is_result_rounded ? rounded(product, bits) : product;
  };
}

Rewriter::Rule weights_in(int bits) {
  return for_each(Kind::softmax, [bits](const Tensor&, const Tensor& is) { return rounded(is, bits); });
}

}  // namespace

// ---- The table ------------------------------------------------------------------------------------

std::vector<Mistake> all_mistakes_in(std::span<const Step> steps) {
  const char* const mask_line = "attn_scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)";
  const char* const softmax_line = "torch.softmax(scores, dim=-1)";
  const char* const scaling_line = "attn_scores / keys.shape[-1]**0.5";
  const char* const split_line = "x.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)";
  const char* const join_line = "context_vec.transpose(1, 2).contiguous().view(b, num_tokens, d_out)";
  const char* const bias_line = "x @ W.T + b";
  const auto first = [](std::int64_t entry, std::int64_t) { return entry == 0; };
  const auto last = [](std::int64_t entry, std::int64_t count) { return entry == count - 1; };
  const auto but_first = [](std::int64_t entry, std::int64_t) { return entry != 0; };
  const auto but_last = [](std::int64_t entry, std::int64_t count) { return entry != count - 1; };
  const auto zero_last = [](std::int64_t entry, std::int64_t count) { return entry == count - 1 ? -1 : entry; };
  std::vector<Mistake> table = mistakes_in(steps);
  const std::vector<Mistake> more = {
      {"mask-inverted", "the mask is inverted: it hides what should be seen", mask_line, with_inverted_mask},
      {"mask-added", "the mask of 0 and 1 is added to the scores", mask_line,
       masked_by([](float score, float hidden) { return score + hidden; })},
      {"mask-subtracted", "the mask of 0 and 1 is subtracted from the scores", mask_line,
       masked_by([](float score, float hidden) { return score - hidden; })},
      {"keep-mask-added", "1 is added to the scores that should be seen, and the others are not hidden", mask_line,
       masked_by([](float score, float hidden) { return score + 1 - hidden; })},
      {"mask-head-0-alone", "the mask is on head 0 alone", mask_line, masked_where(1, first)},
      {"mask-last-head-alone", "the mask is on the last head alone", mask_line, masked_where(1, last)},
      {"mask-not-head-0", "head 0 is not masked", mask_line, masked_where(1, but_first)},
      {"mask-not-last-head", "the last head is not masked", mask_line, masked_where(1, but_last)},
      {"mask-entry-0-alone", "the mask is on entry 0 of the batch alone", mask_line, masked_where(0, first)},
      {"mask-not-entry-0", "entry 0 of the batch is not masked", mask_line, masked_where(0, but_first)},

      {"scaled-negated", "the scores are divided by the negative of the square root of the keys' dimension",
       scaling_line,
       [](const Tensor& was, const Tensor& is) {
         const std::int64_t size = was.operation().facts().root_of;
         return size > 0 ? divide(is.operands()[0], -std::sqrt(static_cast<double>(size)), "") : is;
       }},
      {"scaled-by-fourth-root",
       "the scores are divided by the fourth root of the keys' dimension: queries or keys alone are scaled",
       scaling_line,
       [](const Tensor& was, const Tensor& is) {
         const std::int64_t size = was.operation().facts().root_of;
         return size > 1 ? divide(is.operands()[0], std::pow(static_cast<double>(size), 0.25), "") : is;
       }},
      {"scaled-by-8", "the scores are divided by 8, the square root of 64, whatever the keys' dimension is",
       scaling_line, scores_divided_by(8)},
      {"scaled-head-0-alone", "the scores of head 0 alone are scaled", scaling_line, scaled_in_first_head},
      {"scaled-after-softmax", "the weights are scaled after softmax, the scores not before it", scaling_line,
       scaled_after},

      {"softmax-of-unscaled",
       "softmax is taken of scores that are not scaled: not divided by the square root of the keys' dimension",
       scaling_line, softmax_of_times(1)},
      {"softmax-of-unmasked", "softmax is taken of scores that are not masked", mask_line, softmax_of_unmasked(true)},
      {"softmax-of-raw", "softmax is taken of scores that are neither masked nor scaled", mask_line,
       softmax_of_unmasked(false)},
      {"scaled-twice", "the scores are scaled twice", scaling_line, softmax_of_times(-1)},
      {"exp2", "softmax takes powers of 2, not of e: exp2 in place of exp", softmax_line,
       softmax_by_rows(by_powers_of_2)},
      {"no-normalisation", "the exponentials are not divided by their sum", softmax_line,
       softmax_by_rows([](std::span<float> row) { exponentials(row, 0, std::nullopt); })},
      {"no-normalisation-of-shifted", "exp(scores - max) is not divided by its sum", softmax_line,
       softmax_by_rows([](std::span<float> row) { exponentials(row, largest(row), std::nullopt); })},
      {"one-plus-sum", "the exponentials are divided by 1 + their sum", softmax_line,
       softmax_by_rows([](std::span<float> row) { exponentials(row, 0, 1.0F); })},
      {"one-plus-sum-of-shifted", "exp(scores - max) is divided by 1 + its sum", softmax_line,
       softmax_by_rows([](std::span<float> row) { exponentials(row, largest(row), 1.0F); })},
      {"no-exp", "the scores are divided by their sum, without exp", softmax_line, softmax_by_rows(without_exp)},
      {"log-softmax", "this is log_softmax: the logarithms of the weights", softmax_line, softmax_by_rows(logarithms)},
      {"softmax-of-negated", "softmax is taken of the scores with the wrong sign", softmax_line,
       softmax_by_rows(negated)},
      {"softmax-twice", "softmax is taken twice", softmax_line, for_each(Kind::softmax, softmax_twice)},
      {"softmax-of-all", "softmax is taken over the whole matrix, not over each row", softmax_line,
       for_each(Kind::softmax, softmax_over_matrix)},
      {"weights-uniform", "every token that is seen has the same weight", softmax_line, softmax_by_rows(all_alike)},

      {"bias-twice", "the bias is added twice", bias_line, biased(2)},
      {"bias-subtracted", "the bias is subtracted", bias_line, biased(-1)},
      {"tokens-read-first", "x is read as [tokens, batch, d_in] by view or reshape", "x of shape [batch, tokens, d_in]",
       [](const Tensor& was, const Tensor& is) {
         return was.kind() == Kind::linear ||
                        (was.kind() == Kind::matmul && was.operands()[1].kind() == Kind::parameter)
                    ? tokens_read_first(was, is)
                    : is;
       }},

      {"keys-reshaped", "the keys are reshaped by view, not transposed, before they meet the queries",
       "queries @ keys.transpose(-2, -1)", for_each(Kind::matmul, keys_reshaped)},
      {"heads-reversed", "the order of the heads is reversed", split_line, sliced(has_heads, 1, reversed_entry)},
      {"one-head-everywhere", "head 0 stands in place of every head", split_line, sliced(has_heads, 1, first_entry)},
      {"last-head-left-0", "the last head is left 0", split_line, sliced(has_heads, 1, zero_last)},
      {"heads-joined-reversed", "heads are joined in the reverse order", join_line, joined_reversed},
      {"heads-joined-by-view", "heads are joined by view alone, without transpose", join_line, joined_by_view},
      {"heads-joined-innermost", "heads are joined with the heads innermost: column i is of head i % num_heads",
       join_line, joined_innermost},
      {"one-entry-everywhere", "entry 0 of the batch stands in place of every entry",
       "x of shape [batch, tokens, d_in]", sliced(has_batch, 0, first_entry)},
      {"batch-reversed", "the order of the batch's entries is reversed", "x of shape [batch, tokens, d_in]",
       sliced(has_batch, 0, reversed_entry)},
      {"last-entry-left-0", "the last entry of the batch is left 0", "x of shape [batch, tokens, d_in]",
       sliced(has_batch, 0, zero_last)},
      {"last-row-left-0", "the last row is left 0: never written", "for i in range(num_tokens)", row_is(false, 0)},
      {"first-row-left-0", "the first row is left 0: never written", "for i in range(num_tokens)", row_is(true, 0)},
      {"first-row-nan", "the first row is nan", "for i in range(num_tokens)",
       row_is(true, std::numeric_limits<float>::quiet_NaN())},

      {"float16-product", "this product is computed in float16", "float32", product_in(11, true)},
      {"bfloat16-product", "this product is computed in bfloat16", "float32", product_in(8, true)},
      {"float16-operands", "the operands of this product are float16", "float32", product_in(11, false)},
      {"bfloat16-operands", "the operands of this product are bfloat16", "float32", product_in(8, false)},
      {"float16-weights", "the weights are rounded to float16", "float32", weights_in(11)},
      {"bfloat16-weights", "the weights are rounded to bfloat16", "float32", weights_in(8)},
  };
  table.insert(table.end(), more.begin(), more.end());
  const auto name_of = [](float value) {
    return std::isnan(value) ? std::string("nan") : value == infinity ? "inf" : text::shortest_text(value);
  };
  for (const float value :
       {-1e4F, -65504.0F, -std::numeric_limits<float>::max(), infinity, 1e9F, -1e-9F, 1e-9F, -1.0F, -10.0F, -100.0F,
        std::numeric_limits<float>::min(), std::numeric_limits<float>::quiet_NaN()}) {
    table.push_back({"mask-filled-with-" + name_of(value), "masked scores are " + name_of(value) + ", not -inf",
                     mask_line, filled_with(value)});
  }
  struct Sources {
    std::array<std::size_t, 3> of;
    std::string sentence;
  };
  std::vector<Sources> sources;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      std::array<std::size_t, 3> of{0, 1, 2};
      of[i] = j;
      i == j ? void()
             : sources.push_back(
                   {of, std::string(results[i]) + " are made with " + projections[j] + ", not with " + projections[i]});
    }
    std::array<std::size_t, 3> swapped{0, 1, 2};
    std::swap(swapped[i], swapped[(i + 1) % 3]);
    sources.push_back({swapped, std::string(projections[i]) + " and " + projections[(i + 1) % 3] + " are swapped"});
    sources.push_back({{i, i, i}, std::string("queries, keys and values are all made with ") + projections[i]});
  }
  sources.push_back(
      {{1, 2, 0},
       "queries are made with W_key, keys with W_value, values with W_query: the fused weight has another order"});
  sources.push_back(
      {{2, 0, 1},
       "queries are made with W_value, keys with W_query, values with W_key: the fused weight has another order"});
  for (const Sources& source : sources) {
    std::string name = "made-with";
    for (const std::size_t i : source.of) {
      name += std::string("-") + "qkv"[i];
    }
    table.push_back({name, source.sentence, "x @ W_query, x @ W_key, x @ W_value", made_with(steps, source.of, true)});
  }
  return table;
}

}  // namespace attn
