#pragma once

#include <map>
#include <span>

#include "port/match.hpp"
#include "tensor/rewrite.hpp"

namespace attn::port {

/// A port's tensors, to be put in place of the lesson's.
class Operands {
 public:
  explicit Operands(std::span<const Matched> matched);

  /// For a rewriting rule: the port's tensor where it has one, but for the step that is judged.
  Tensor put_in(const Tensor& was, const Tensor& is, const Tensor& judged) const;

 private:
  std::map<const void*, Tensor> tensors_;
};

/// A leaf with these numbers, of the tensor's shape and dtype.
Tensor with_values(const Tensor& like, std::vector<double> values);

}  // namespace attn::port
