#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "verify/program/values.hpp"
#include "verify/propose/search.hpp"

namespace attn::verify {

/// Queries, keys or values: inputs times one weight matrix.
struct Projected {
  std::size_t inputs = 0;  ///< index of the leaf
  std::size_t weights = 0;
  bool is_transposed = false;  ///< stored as nn.Linear stores weights
  std::size_t operand = 0;     ///< index of the operand
};

/// The possible operands of a product: the leaves in their order, then each leaf projected by another.
struct Operands {
  std::vector<Tensor> all;
  std::vector<Projected> projected;
  std::size_t leaves = 0;
};

/// Returns the operands for these leaves.
Operands operands_of(std::span<const Leaf> leaves);

}  // namespace attn::verify
