#pragma once

#include <map>
#include <optional>
#include <set>
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
  void replace(const Tensor& tensor, const Laid& laid);
  void put(const Tensor& tensor, const Tensor& is);
  /// The port's tensor is what its step makes of the port's others: no rule changes how it is made.
  void set_following(const Tensor& tensor) { following_.insert(tensor.id()); }
  bool have_following() const { return !following_.empty(); }
  /// Those alone that follow from no others.
  PortOperands sources() const;
  bool empty() const { return tensors_.empty(); }

  /// As a rewriting rule: returns the port's tensor if it has one, except for the tensor being judged.
  Tensor put_in(const Tensor& was, const Tensor& is, const Tensor& judged) const;
  /// Computes the tensor from the port's operands, under one more rule; none if sizes do not fit.
  std::optional<Tensor> remade(const Tensor& tensor, const Tensor& judged, const Rewriter::Rule& rule = {}) const;
  std::optional<Tensor> remade(const Tensor& judged) const { return remade(judged, judged); }

 private:
  std::map<const void*, Tensor> tensors_;
  std::set<const void*> following_;
};

/// Returns true if a tensor is made of another in a few operations, as weights are of scores.
bool is_made_of(const Tensor& made, const Tensor& other);

/// Row-major numbers converted to this dtype.
Contents contents_of(const Shape& shape, DType dtype, const std::vector<double>& values);

/// A leaf with these numbers and the tensor's shape and dtype.
Tensor with_values(const Tensor& like, const SharedNumbers& values);

}  // namespace attn::verify
