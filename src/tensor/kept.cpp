#include <utility>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Kept final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}, {part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> product = operands[0].own_floats();
    const auto mask_contents = operands[1].array().contents();
    const auto& mask = std::get<Block<bool>>(*mask_contents);
    for (std::size_t i = 0; i < product.size(); ++i) {
      product.data()[i] *= mask.data()[i] ? 1.0F : 0.0F;
    }
    return Array(std::move(product));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    const bool is_kept = operands[1].value(index) != 0;
    return Derivation(is_kept ? Derivation::Rule::kept : Derivation::Rule::dropped, {0, index}, Element{1, index},
                      is_kept ? 1 : 0);
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " * " + grouped(operands[1]);
  }
  Facts facts() const override { return {.kind = Kind::multiplied}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "MulBackward0"; }
};

}  // namespace

Tensor kept(const Tensor& x, const Tensor& mask) {
  if (mask.dtype() != DType::boolean || mask.shape() != x.shape()) {
    throw ShapeError("x * mask: mask " + shape_text(mask.shape()) + " is not of shape " + shape_text(x.shape()));
  }
  return Tensor(std::make_shared<Kept>(), {x, mask}, x.shape());
}

}  // namespace attn
