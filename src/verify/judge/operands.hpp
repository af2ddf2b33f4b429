#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tensor/rewrite.hpp"
#include "tensor/tensor.hpp"
#include "verify/propose/layouts.hpp"

namespace attn::port {

/// A port's wrong tensors, to be put in place of the lesson's. Right ones are the lesson's: what a step is made of
/// stays to be seen there.
class Operands {
 public:
  /// Of several the first stays, but for slices, which are put together.
  void add(const Tensor& tensor, const Laid& laid);
  void replace(const Tensor& tensor, const Laid& laid);
  void put(const Tensor& tensor, const Tensor& is);
  /// The port's tensor is what its step makes of the port's others: no rule changes how it is made.
  void set_following(const Tensor& tensor) { following_.insert(tensor.id()); }
  bool have_following() const { return !following_.empty(); }
  /// Those alone that follow from no others.
  Operands sources() const;
  bool empty() const { return tensors_.empty(); }

  /// For a rewriting rule: the port's tensor where it has one, but for the tensor that is judged.
  Tensor put_in(const Tensor& was, const Tensor& is, const Tensor& judged) const;
  /// The tensor made of the port's operands, under one more rule; none where sizes do not fit each other then.
  std::optional<Tensor> remade(const Tensor& tensor, const Tensor& judged, const Rewriter::Rule& rule = {}) const;
  std::optional<Tensor> remade(const Tensor& judged) const { return remade(judged, judged); }

 private:
  std::map<const void*, Tensor> tensors_;
  std::set<const void*> following_;
};

/// A tensor's numbers, row-major.
std::vector<double> values_of(const Tensor& tensor);

/// Row-major numbers as a tensor of this dtype has them.
Contents contents_of(const Shape& shape, DType dtype, const std::vector<double>& values);

/// A leaf with these numbers, of the tensor's shape and dtype.
Tensor with_values(const Tensor& like, std::vector<double> values);

}  // namespace attn::port
