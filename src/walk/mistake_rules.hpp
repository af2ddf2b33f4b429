#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "walk/walkthrough.hpp"

/// What the tables of mistakes are written with.
namespace attn {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

// ---- The lines that are written otherwise ---------------------------------------------------------

inline constexpr const char* scores_line = "queries @ keys.transpose(-2, -1)";
inline constexpr const char* scaling_line = "attn_scores / keys.shape[-1]**0.5";
inline constexpr const char* mask_line =
    "attn_scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)";
inline constexpr const char* softmax_line = "torch.softmax(scores, dim=-1)";
inline constexpr const char* dropout_line = "weights * keep_mask / (1 - p)";
inline constexpr const char* bias_line = "x @ W.T + b";
inline constexpr const char* batch_line = "x of shape [batch, tokens, d_in]";
inline constexpr const char* split_line = "x.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)";
inline constexpr const char* join_line = "context_vec.transpose(1, 2).contiguous().view(b, num_tokens, d_out)";

// ---- What a tensor is -----------------------------------------------------------------------------

/// A mask on scores.
bool hides(const Tensor& tensor);

/// x @ W, or two tensors that meet.
bool is_product(const Tensor& tensor);

/// The size of its last axis.
std::size_t width_of(const Tensor& tensor);

/// Whether it has the axis of the batch, 0, or of the heads, 1, with several entries.
bool has_axis(const Tensor& tensor, std::size_t axis);

/// Whether it is x.view(b, tokens, heads, head_dim).transpose(1, 2).
bool splits_heads(const Tensor& tensor);

/// Whether it is context.transpose(1, 2).contiguous().view(b, tokens, d_out).
bool joins_heads(const Tensor& tensor);

// ---- Rules ----------------------------------------------------------------------------------------

/// A rule for the operations of one kind: what stands in place of each.
template <class Instead>
Rewriter::Rule for_each(Kind kind, Instead instead) {
  return [kind, instead](const Tensor& was, const Tensor& is) { return was.kind() == kind ? instead(was, is) : is; };
}

/// Scores are divided by this, of what should be divided by the root of `root_of`.
template <class Divisor>
Rewriter::Rule scaled_by(Divisor divisor) {
  return [divisor](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = was.operation().facts().root_of;
    return root_of > 0 ? divide(is.operands()[0], divisor(root_of), "") : is;
  };
}

/// Scores are divided by a number that is nobody's size.
Rewriter::Rule divided_by(double divisor);

/// Hidden scores are this number.
Rewriter::Rule filled_with(float value);

/// Another mask: `is_hidden` of how far a column is to the right of its row, and of how far it is from the last one.
template <class IsHidden>
Rewriter::Rule masked_at(IsHidden is_hidden) {
  return [is_hidden](const Tensor& was, const Tensor& is) {
    if (!hides(was)) {
      return is;
    }
    const Tensor mask =
        leaf(was.operands()[1].shape(), DType::boolean, "mask", [shape = was.operands()[1].shape(), is_hidden] {
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

/// True where column - row is more than `beyond`, which should be 0: a mask of another diagonal.
Rewriter::Rule masked_beyond(std::int64_t beyond);

inline constexpr std::array<const char*, 3> projections = {"W_query", "W_key", "W_value"};

/// Queries, keys and values are made with those projections of the same section that `source` says.
Rewriter::Rule made_with(std::span<const Step> steps, std::array<std::size_t, 3> source);

// ---- Tensors made of others -----------------------------------------------------------------------

/// A mask's opposite.
Tensor inverted(const Tensor& mask);

/// The same operation on another first operand.
Tensor with_first_operand(const Tensor& tensor, const Tensor& operand);

using Numbers = std::vector<float>;

Numbers numbers_of(const Tensor& tensor);

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

/// What a function makes of each block of so many numbers.
template <class Function>
Tensor made_by_blocks(const Tensor& x, std::size_t size, Function f) {
  return made_of(x, [size, f](Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += size) {
      f(std::span(numbers).subspan(first, size));
    }
  });
}

/// What a function makes of each row.
template <class Function>
Tensor made_by_rows(const Tensor& x, Function f) {
  return made_by_blocks(x, width_of(x), f);
}

/// Each slice along an axis is the one that `source` says of its place and their number, or 0 where that is negative.
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

inline std::int64_t first_entry(std::int64_t, std::int64_t) { return 0; }

// ---- Rows of numbers ------------------------------------------------------------------------------

float largest_of(std::span<const float> row);
void divide_by_sum(std::span<float> row);

}  // namespace attn
