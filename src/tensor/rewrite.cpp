#include "tensor/operations.hpp"

#include <span>

namespace attn {

const Tensor& Rewriter::rewritten(const Tensor& tensor) {
  if (const auto known = done_.find(tensor.id()); known != done_.end()) {
    return known->second;
  }
  const std::span<const Tensor> were = tensor.operands();
  std::vector<Tensor> operands;  // empty as long as all are the same
  for (std::size_t i = 0; i < were.size(); ++i) {
    const Tensor& operand = rewritten(were[i]);
    if (operands.empty() && operand.id() != were[i].id()) {
      operands.reserve(were.size());
      operands.assign(were.begin(), were.begin() + static_cast<std::ptrdiff_t>(i));
    } else if (operands.empty()) {
      continue;
    }
    operands.push_back(operand);
  }
  Tensor result = rule_(tensor, operands.empty() ? tensor : tensor.with_operands(std::move(operands)));
  if (result.id() != tensor.id()) {
    if (result.shape() != tensor.shape() || result.dtype() != tensor.dtype()) {
      throw ShapeError("a tensor of shape " + shape_text(result.shape()) + " cannot take the place of one of shape " +
                       shape_text(tensor.shape()));
    }
    result.set_name(tensor.name());
    if (tensor.is_without_grad()) {
      result.set_without_grad();
    }
  }
  return done_.emplace(tensor.id(), std::move(result)).first->second;
}

}  // namespace attn
