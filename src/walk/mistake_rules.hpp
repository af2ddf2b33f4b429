#pragma once

#include <cmath>
#include <limits>

#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"

/// What the tables of mistakes are written with.
namespace attn {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

/// A mask on scores.
inline bool hides(const Tensor& tensor) {
  return tensor.kind() == Kind::masked && std::isinf(tensor.operation().facts().value);
}

/// A rule for the operations of one kind: what stands in place of each.
template <class Instead>
Rewriter::Rule for_each(Kind kind, Instead instead) {
  return [kind, instead](const Tensor& was, const Tensor& is) { return was.kind() == kind ? instead(was, is) : is; };
}

}  // namespace attn
