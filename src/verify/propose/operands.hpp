#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

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

/// a @ b, or a @ b.T, for matrices, vectors and batches; none if the shapes do not fit.
std::optional<Tensor> product_of(const Tensor& a, const Tensor& b, bool b_transposed);
/// The shape of that product, without computing it.
std::optional<Shape> product_shape(const Shape& a, const Shape& b, bool b_transposed);

}  // namespace attn::verify
