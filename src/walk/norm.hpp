#pragma once

#include <optional>

#include "tensor/tensor.hpp"

/// The norms of layers, recognised by their steps.
namespace attn {

/// A norm: each row of x, less its mean or not, divided by its root mean square; times a weight, plus a bias if any.
struct Norm {
  Tensor x;
  Tensor normalised;
  Tensor weight;
  std::optional<Tensor> bias;
  bool is_centred;  ///< LayerNorm; else RMSNorm
  double epsilon;
};

/// The norm whose result the tensor is; empty if it is none.
std::optional<Norm> norm_of(const Tensor& tensor);

}  // namespace attn
