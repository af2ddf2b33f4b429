#include "walk/rotation.hpp"

#include <string>

#include "tensor/operations.hpp"

namespace attn {
namespace {

Tensor named(const Tensor& tensor, const std::string& name) {
  tensor.set_name(name);
  return tensor;
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

}  // namespace attn
