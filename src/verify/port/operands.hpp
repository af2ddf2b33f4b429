#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tensor/rewrite.hpp"
#include "tensor/tensor.hpp"
#include "verify/observed/observed.hpp"
#include "verify/port/layouts.hpp"

namespace attn::verify {

/// A port's wrong tensors, which replace the lesson's. Right ones are not replaced, so that a step's operands stay
/// known there.
class PortOperands {
 public:
  /// The first of several stays; slices are put together.
  void add(const Tensor& tensor, const Laid& laid);
  void put(const Tensor& tensor, const Tensor& is);
  bool empty() const { return tensors_.empty(); }

  /// Computes the tensor from the port's operands, except for the one being judged, and under one more rule for what is
  /// not the port's; none if sizes do not fit.
  std::optional<Tensor> remade(const Tensor& tensor, const Tensor& judged, const Rewriter::Rule& rule = {}) const;
  std::optional<Tensor> remade(const Tensor& judged) const { return remade(judged, judged); }

 private:
  std::map<const void*, Tensor> tensors_;
};

/// Returns true if a tensor is made of another in a few operations, as weights are of scores.
bool is_made_of(const Tensor& made, const Tensor& other);

}  // namespace attn::verify
