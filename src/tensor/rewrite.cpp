#include "tensor/rewrite.hpp"

#include <utility>
#include <vector>

#include "tensor/operations.hpp"

namespace attn {

Tensor Rewriter::operator()(const Tensor& tensor) {
  if (const auto known = done_.find(tensor.id()); known != done_.end()) {
    return known->second;
  }
  std::vector<Tensor> operands;
  bool is_same = true;
  for (const Tensor& operand : tensor.operands()) {
    operands.push_back((*this)(operand));
    is_same = is_same && operands.back().id() == operand.id();
  }
  Tensor result = rule_(tensor, is_same ? tensor : tensor.with_operands(std::move(operands)));
  if (result.shape() != tensor.shape() || result.dtype() != tensor.dtype()) {
    throw ShapeError("a tensor of shape " + shape_text(result.shape()) + " cannot take the place of one of shape " +
                     shape_text(tensor.shape()));
  }
  result.set_name(tensor.name());
  if (tensor.is_without_grad()) {
    result.set_without_grad();
  }
  done_.emplace(tensor.id(), result);
  return result;
}

}  // namespace attn
