#include "walk/norm.hpp"

#include "tensor/operations.hpp"

namespace attn {
namespace {

/// What is under the root of a norm's divisor or factor: a mean of squares or a variance, and the number added to it.
std::optional<double> epsilon_of(const Tensor& root) {
  const Kind kind = root.kind();
  if (kind == Kind::inverse_deviation) {
    return root.operation().facts().value;
  }
  const bool is_root = kind == Kind::root || kind == Kind::inverse_root;
  return is_root && root.operands()[0].kind() == Kind::raised
             ? std::optional(root.operands()[0].operation().facts().value)
             : std::nullopt;
}

/// x, (x - mean) or x itself times or divided by the root.
std::optional<Norm> normalised_of(const Tensor& tensor, const Tensor& weight, const std::optional<Tensor>& bias) {
  if (tensor.kind() != Kind::multiplied && tensor.kind() != Kind::divided) {
    return std::nullopt;
  }
  const Tensor& row = tensor.operands()[0];
  const std::optional<double> epsilon = epsilon_of(tensor.operands()[1]);
  const bool is_centred = row.kind() == Kind::subtracted && row.operands()[1].kind() == Kind::mean;
  return epsilon ? std::optional(Norm{is_centred ? row.operands()[0] : row, tensor, weight, bias, is_centred, *epsilon})
                 : std::nullopt;
}

}  // namespace

std::optional<Norm> norm_of(const Tensor& tensor) {
  const std::vector<Tensor>& operands = tensor.operands();
  if (tensor.kind() == Kind::scaled_and_shifted) {
    return normalised_of(operands[0], operands[1], operands[2]);
  }
  if (tensor.kind() == Kind::added && operands[0].kind() == Kind::multiplied) {
    return normalised_of(operands[0].operands()[1], operands[0].operands()[0], operands[1]);
  }
  return tensor.kind() == Kind::multiplied ? normalised_of(operands[1], operands[0], std::nullopt) : std::nullopt;
}

}  // namespace attn
