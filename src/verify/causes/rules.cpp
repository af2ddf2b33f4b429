#include "verify/causes/rules.hpp"

#include <array>

namespace attn {

std::size_t width_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.size(-1)); }

std::size_t rows_of(const Tensor& tensor) { return tensor.dim() < 2 ? 1 : static_cast<std::size_t>(tensor.size(-2)); }

bool has_axis(const Tensor& tensor, std::size_t axis) {
  return tensor.dim() >= (axis == 0 ? 3 : 4) && tensor.shape()[axis] > 1;
}

bool splits_heads(const Tensor& tensor) {
  return tensor.kind() == Kind::transpose && tensor.dim() == 4 &&
         tensor.operation().facts().axes == std::array<std::size_t, 2>{1, 2} &&
         tensor.operands()[0].kind() == Kind::view;
}

bool joins_heads(const Tensor& tensor) {
  return tensor.kind() == Kind::view && tensor.dim() == 3 && tensor.operands()[0].kind() == Kind::contiguous &&
         tensor.operands()[0].dim() == 4;
}

bool meets_keys(const Tensor& was) {
  const Tensor* const right = was.kind() == Kind::matmul ? &was.operands()[1] : nullptr;
  return right != nullptr && right->kind() == Kind::transpose &&
         right->operation().facts().axes[1] + 1 == static_cast<std::size_t>(right->dim());
}

bool is_square(const Tensor& tensor) { return tensor.dim() >= 2 && tensor.size(-1) == tensor.size(-2); }

Rewriter::Rule divided_by(double divisor) {
  return scaled_by([divisor](std::int64_t) { return divisor; });
}

Rewriter::Rule filled_with(float value) {
  return [value](const Tensor& was, const Tensor& is) {
    return hides(was) ? masked_fill(is.operands()[0], is.operands()[1], value) : is;
  };
}

Tensor inverted(const Tensor& mask) {
  return leaf(mask.shape(), DType::boolean, "mask", [mask] {
    Block<bool> block = std::get<Block<bool>>(*mask.array().contents());
    std::ranges::transform(block, block.begin(), [](bool one) { return !one; });
    return Contents(std::move(block));
  });
}

Tensor with_first_operand(const Tensor& tensor, const Tensor& operand) {
  std::vector<Tensor> operands = tensor.operands();
  operands[0] = operand;
  return tensor.with_operands(std::move(operands));
}

}  // namespace attn
