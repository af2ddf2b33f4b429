#include "walk/walkthrough.hpp"

#include "tensor/operations.hpp"

namespace attn {
namespace {

Tensor named(const Tensor& tensor, const std::string& name) {
  tensor.set_name(name);
  return tensor;
}

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

Tensor rotated(const Tensor& x, const Tensor& cos, const Tensor& sin, Pairs pairs) {
  const bool is_adjacent = pairs == Pairs::adjacent;
  const std::int64_t half = x.size(-1) / 2;
  const Tensor first = is_adjacent ? every(x, 0, 2) : slice(x, -1, 0, half);
  const Tensor second = is_adjacent ? every(x, 1, 2) : slice(x, -1, half, 2 * half);
  const std::string& name = x.name();
  const Tensor turned_first =
      named(subtract(named(multiply(first, cos), name + "_x_cos"), named(multiply(second, sin), name + "_y_sin")),
            name + "_x_turned");
  const Tensor turned_second =
      named(add(named(multiply(first, sin), name + "_x_sin"), named(multiply(second, cos), name + "_y_cos")),
            name + "_y_turned");
  return is_adjacent ? view(stack({turned_first, turned_second}, x.dim()), x.shape())
                     : cat({turned_first, turned_second});
}

std::optional<Rotation> rotation_of(const Tensor& tensor) {
  const bool is_view = tensor.kind() == Kind::view && tensor.operands()[0].kind() == Kind::stack;
  const Tensor& joined = is_view ? tensor.operands()[0] : tensor;
  const bool is_joined = is_view || joined.kind() == Kind::cat;
  if (!is_joined || joined.operands().size() != 2 || joined.operands()[0].kind() != Kind::subtracted) {
    return std::nullopt;
  }
  const Tensor& cosines = joined.operands()[0].operands()[0];
  const Tensor& sines = joined.operands()[0].operands()[1];
  if (cosines.kind() != Kind::multiplied || sines.kind() != Kind::multiplied ||
      cosines.operands()[1].kind() != Kind::cosine || cosines.operands()[0].kind() != Kind::slice) {
    return std::nullopt;
  }
  return Rotation{cosines.operands()[0].operands()[0], cosines.operands()[1], sines.operands()[1],
                  is_view ? Pairs::adjacent : Pairs::halves};
}

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
