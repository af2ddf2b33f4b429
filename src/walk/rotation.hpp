#pragma once

#include <optional>

#include "tensor/tensor.hpp"

/// Rotary position embedding: a token's position turns pairs of its columns. Formula: Su et al., "RoFormer", 2021.
namespace attn {

/// The columns of a pair, of d.
enum class Pairs {
  adjacent,  ///< 2i and 2i + 1, as in the paper
  halves,    ///< i and i + d / 2, as in Llama's code
};

/// The pairs of x [n, d], each turned: (x cos - y sin, x sin + y cos); cos and sin [n, d / 2]. Names what leads to it
/// after x.
Tensor rotated(const Tensor& x, const Tensor& cos, const Tensor& sin, Pairs pairs);

/// What rotated() was given.
struct Rotation {
  Tensor x;
  Tensor cos;
  Tensor sin;
  Pairs pairs;
};

/// The rotation that made the tensor; empty if there is none.
std::optional<Rotation> rotation_of(const Tensor& tensor);

}  // namespace attn
