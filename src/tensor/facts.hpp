#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace attn {

/// What made a tensor.
enum class Kind {
  // Leaves say where their numbers come from.
  given,      ///< a constant, or numbers that somebody wrote
  uniform,    ///< torch.rand, or nn.Linear's initialisation
  normal,     ///< torch.randn
  embedding,  ///< rows of nn.Embedding
  bernoulli,  ///< a dropout mask

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
};

/// What an operation is, so that nobody has to read its words. What is not a kind's own is as here.
struct Facts {
  Kind kind;
  std::array<std::size_t, 2> axes = {};  ///< transpose: the two that are swapped
  std::int64_t axis = -1;                ///< softmax: the axis along which weights sum to 1; -1 is the last
  std::int64_t at = 0;                   ///< index: which slice of the first axis
  std::int64_t fan_in = 0;               ///< uniform: nn.Linear's d_in; 0 for torch.rand
  std::int64_t root_of = 0;              ///< scaled: the number whose square root is the divisor; 0 where it is none
  double p = 0;                          ///< dropout: to drop; bernoulli: to be True
  double value = 0;                      ///< masked: what is filled in; scaled: the divisor; dropout: what kept ones are multiplied with
  bool is_by_tokens = false;             ///< given: every axis counts the lesson's tokens
};

}  // namespace attn
