#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tensor/tensor.hpp"

/// Which operation made a tensor, and which of its axes and vectors stand for tokens.
namespace attn::render {

/// The operations, told apart by PyTorch's words for them.
enum class Made {
  leaf,
  parameter,
  matmul,
  matvec,
  matvecs,
  linear,
  dot,
  dots,
  weighted_sum,
  scaled,   ///< divided by a number
  divided,  ///< divided element by element
  multiplied,
  masked,
  softmax,
  exp,
  sum,
  dropout,
  index,
  columns,
  stack,
  cat,
  transpose,
  view,
  contiguous,
  comparison,
  other,
};

Made made(const Tensor& tensor);

/// PyTorch's words with \x01, \x02, ... in the operands' places: "\x01 @ \x02".
std::string word_pattern(const Tensor& tensor);

/// The two axes that a transposition swaps.
std::pair<std::size_t, std::size_t> swapped_axes(const Tensor& transposed);

/// Whether the axis counts the rows of the tensor named `inputs`, that is, the tokens.
bool counts_tokens(const Tensor& tensor, std::size_t axis);

/// The row of `inputs` that a vector was made from, the query's where several meet.
std::optional<std::int64_t> token_of(const Tensor& vector);

}  // namespace attn::render
