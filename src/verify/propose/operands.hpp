#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "verify/propose/search.hpp"

namespace attn::verify {

/// The queries, keys or values that one matrix of weights makes of inputs.
struct Projected {
  std::size_t inputs = 0;  ///< among the leaves
  std::size_t weights = 0;
  bool is_transposed = false;  ///< as nn.Linear holds its weights
  std::size_t operand = 0;     ///< among the operands
};

/// What a product may be made of: the leaves in their order, then what one of them projects another to.
struct Operands {
  std::vector<Tensor> all;
  std::vector<Projected> projected;
  std::size_t leaves = 0;
};

/// The operands that the leaves make.
Operands operands_of(std::span<const Leaf> leaves);

/// a @ b, or a @ b.T, of matrices, vectors and batches; none where the shapes do not fit.
std::optional<Tensor> product_of(const Tensor& a, const Tensor& b, bool b_transposed);
/// Its shape, which costs less.
std::optional<Shape> product_shape(const Shape& a, const Shape& b, bool b_transposed);

}  // namespace attn::verify
