#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/part.hpp"
#include "tensor/rewrite.hpp"
#include "walk/walkthrough.hpp"

/// Helpers to write the tables of mistakes.
namespace attn {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

// ---- The lines that are written otherwise ---------------------------------------------------------

inline constexpr const char* scores_line = "queries @ keys.transpose(-2, -1)";
inline constexpr const char* scaling_line = "attn_scores / keys.shape[-1]**0.5";
inline constexpr const char* mask_line =
    "attn_scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)";
inline constexpr const char* softmax_line = "torch.softmax(scores, dim=-1)";
inline constexpr const char* values_line = "attn_weights @ values";
inline constexpr const char* dropout_line = "weights * keep_mask / (1 - p)";
inline constexpr const char* bias_line = "x @ W.T + b";
inline constexpr const char* batch_line = "x of shape [batch, tokens, d_in]";
inline constexpr const char* split_line = "x.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)";
inline constexpr const char* join_line = "context_vec.transpose(1, 2).contiguous().view(b, num_tokens, d_out)";

// ---- What a tensor is -----------------------------------------------------------------------------

template <Kind kind>
bool is_a(const Tensor& tensor) {
  return tensor.kind() == kind;
}

/// Returns true if a rewritten tensor is still made as it was, and nobody's numbers stand in its place.
inline bool is_made_alike(const Tensor& was, const Tensor& is) {
  return is.kind() == was.kind() && is.operands().size() == was.operands().size();
}

/// Returns true for scores hidden by a mask.
bool hides(const Tensor& tensor);

/// Returns true for a product: x @ W, or of two tensors.
bool is_product(const Tensor& tensor);

/// The size of the tensor's last axis.
std::size_t width_of(const Tensor& tensor);

/// The rows of each of the tensor's matrices; 1 for a vector.
std::size_t rows_of(const Tensor& tensor);

/// Returns true if the tensor has several entries on the batch axis, 0, or the head axis, 1.
bool has_axis(const Tensor& tensor, std::size_t axis);

/// Returns true for x.view(b, tokens, heads, head_dim).transpose(1, 2).
bool splits_heads(const Tensor& tensor);

/// Returns true for context.transpose(1, 2).contiguous().view(b, tokens, d_out).
bool joins_heads(const Tensor& tensor);

/// Returns true for attn_weights @ values.
bool weighs_values(const Tensor& tensor);

/// Returns true for scores whose last column is a sink's: a score of no token.
bool has_sink(const Tensor& scores);
/// Returns true for weights of tokens, from which a sink's column was dropped.
bool drops_sink(const Tensor& tensor);
/// The softmax that gives these weights of tokens, without a sink's column; null if they are none.
const Tensor* softmax_of_weights(const Tensor& tensor);
/// Returns true for slopes * (positions.T - positions), linear biases.
bool is_alibi(const Tensor& tensor);

/// Returns true for the positions of keys minus those of queries, which biases are multiples of.
bool are_distances(const Tensor& tensor);

/// Returns true for sines and cosines, stacked and read as columns that take turns.
bool interleaves_sines(const Tensor& tensor);
/// The angles of position encodings; null for other tensors.
const Tensor* angles_of(const Tensor& encodings);
/// Returns true for positions [n, 1] times frequencies [d], which encodings and rotations are made of.
bool are_angles(const Tensor& tensor);
/// Returns true for inputs + encodings, or + learned embeddings.
bool adds_positions(const Tensor& tensor);

/// Returns true for queries @ keys.transpose(-2, -1).
bool meets_keys(const Tensor& tensor);

/// Returns true for a projection of a layer's input, x @ W, and false for the last projection of joined heads.
bool projects_inputs(const Tensor& tensor);

// ---- Rules ----------------------------------------------------------------------------------------

/// The operation applied to another first operand.
Tensor with_first_operand(const Tensor& tensor, const Tensor& operand);

/// A rule that replaces each operation of one kind.
template <class Instead>
Rewriter::Rule for_each(Kind kind, Instead instead) {
  return [kind, instead](const Tensor& was, const Tensor& is) { return was.kind() == kind ? instead(was, is) : is; };
}

/// A rule that divides scores by divisor(root_of), where the root of `root_of` is right.
template <class Divisor>
Rewriter::Rule scaled_by(Divisor divisor) {
  return [divisor](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = was.operation().facts().root_of;
    return root_of > 0 ? divide(is.operands()[0], divisor(root_of), "") : is;
  };
}

/// A rule that replaces x in x @ W by another tensor of the same shape.
template <class Change>
Rewriter::Rule with_inputs(Change change) {
  return [change](const Tensor& was, const Tensor& is) {
    return projects_inputs(was) ? with_first_operand(is, change(is.operands()[0])) : is;
  };
}

/// A rule that divides scores by a number.
Rewriter::Rule divided_by(double divisor);

/// A rule that fills hidden scores with a number.
Rewriter::Rule filled_with(float value);

/// A rule for another mask. `is_hidden` gets a column's distance to the right of its row, and its distance from the
/// last column.
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

/// Masks every entry of a batch as the first one is, if each has its own mask.
Tensor masked_by_first_entry(const Tensor& was, const Tensor& is);

/// Masks rows of hidden tokens in place of their columns, if each entry of a batch has its own mask. Each number is as
/// good a fill: softmax of equal scores gives equal weights.
Tensor masked_by_queries(const Tensor& was, const Tensor& is);

/// Masks not only the columns of hidden tokens but also their rows, if each entry of a batch has its own mask.
Tensor masked_both_ways(const Tensor& was, const Tensor& is);

/// A rule for a mask of another diagonal: it hides cells where column - row is more than `beyond`; 0 would be right.
Rewriter::Rule masked_beyond(std::int64_t beyond);

inline constexpr std::array<const char*, 3> projections = {"W_query", "W_key", "W_value"};

/// A rule that computes queries, keys and values with the projections given by `source`, in the same section.
Rewriter::Rule made_with(std::span<const Step> steps, std::array<std::size_t, 3> source);

// ---- Tensors made of others -----------------------------------------------------------------------

/// The inverted mask.
Tensor inverted(const Tensor& mask);

using Numbers = std::vector<float>;

Numbers numbers_of(const Tensor& tensor);

/// A tensor of the same shape whose numbers, row-major, are changed by a function.
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

/// A tensor whose blocks of `size` numbers are changed by a function.
template <class Function>
Tensor made_by_blocks(const Tensor& x, std::size_t size, Function f) {
  return made_of(x, [size, f](Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += size) {
      f(std::span(numbers).subspan(first, size));
    }
  });
}

/// A tensor whose rows are changed by a function; computed in parts.
template <class Function>
Tensor made_by_rows(const Tensor& x, Function f) {
  return leaf(
      x.shape(), DType::float32, x.name().empty() ? "mistaken" : x.name(),
      [x, f](const Box& part) {
        Box rows = part;
        rows.back() = {0, x.size(-1)};
        Block<float> block(box_shape(rows));
        std::visit([&block](const auto& numbers) { std::ranges::copy(numbers, block.begin()); },
                   *x.part(rows).contents());
        for (std::size_t first = 0; first < block.size(); first += width_of(x)) {
          f(std::span(block.data() + first, width_of(x)));
        }
        const Array made{Contents(std::move(block))};
        return Contents(*cut(made, within(rows, part)).contents());
      },
      x.kernels());
}

/// A tensor whose slices along an axis come from the index source(index, count), or are 0 if that is negative; computed
/// in parts.
template <class Source>
Tensor with_slices(const Tensor& x, std::size_t axis, Source source) {
  return leaf(
      x.shape(), DType::float32, x.name().empty() ? "mistaken" : x.name(),
      [x, axis, source](const Box& part) {
        std::vector<std::int64_t> from;
        Range own = {x.shape()[axis], 0};  // of the axis: the slices that are used
        for (std::int64_t entry = part[axis].begin; entry < part[axis].end; ++entry) {
          from.push_back(source(entry, x.shape()[axis]));
          own = from.back() < 0 ? own : Range{std::min(own.begin, from.back()), std::max(own.end, from.back() + 1)};
        }
        Block<float> block(box_shape(part));
        if (own.begin >= own.end) {
          return Contents(std::move(block));
        }
        Box used = part;
        used[axis] = own;
        const auto inner = static_cast<std::size_t>(
            element_count(Shape(block.shape().begin() + static_cast<std::ptrdiff_t>(axis) + 1, block.shape().end())));
        std::visit(
            [&](const auto& numbers) {
              for (std::size_t i = 0; i * inner < block.size(); ++i) {
                const std::int64_t entry = from[i % from.size()];
                if (entry >= 0) {
                  const auto place = static_cast<std::size_t>(static_cast<std::int64_t>(i / from.size()) * own.size() +
                                                              entry - own.begin);
                  std::copy_n(numbers.begin() + place * inner, inner, block.begin() + i * inner);
                }
              }
            },
            *x.part(used).contents());
        return Contents(std::move(block));
      },
      x.kernels());
}

inline std::int64_t first_entry(std::int64_t, std::int64_t) { return 0; }

// ---- Rows of numbers ------------------------------------------------------------------------------

float largest_of(std::span<const float> row);
void divide_by_sum(std::span<float> row);

}  // namespace attn
