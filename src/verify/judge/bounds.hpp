#pragma once

#include <map>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn::port {

/// How far each cell of a tensor may be from another right program's in float32, whatever order it sums in: gamma_n
/// times the sum of |a||b| for a product of n terms, and what comes of its operands' own errors.
class Bounds {
 public:
  /// Row-major, none negative. What is inf or nan has no error.
  std::vector<float> of(const Tensor& tensor);

 private:
  Tensor error_of(const Tensor& tensor);
  Tensor made(const Tensor& tensor);

  std::map<const void*, Tensor> errors_;  ///< of what is bounded already
  std::vector<Tensor> kept_;              ///< so that no other tensor gets its id
};

}  // namespace attn::port
