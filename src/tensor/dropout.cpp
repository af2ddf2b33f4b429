#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Dropout final : public Operation {
 public:
  explicit Dropout(double p) : p_(p) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return p_ == 0 ? std::vector<Need>{{part}} : std::vector<Need>{{part}, {part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    if (p_ == 0) {
      return operands[0].array();
    }
    const float factor = scale();
    Block<float> kept = operands[0].own_floats();
    const auto mask_contents = operands[1].array().contents();
    const auto& mask = std::get<Block<bool>>(*mask_contents);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept.data()[i] *= mask.data()[i] ? factor : 0;
    }
    return Array(std::move(kept));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    if (p_ == 0) {
      return Derivation(Derivation::Rule::copy, {0, index});
    }
    const bool is_kept = operands[1].value(index) != 0;
    return Derivation(is_kept ? Derivation::Rule::kept : Derivation::Rule::dropped, {0, index}, Element{1, index},
                      is_kept ? static_cast<double>(scale()) : 0);
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "nn.Dropout(" + python_repr(p_) + ")(" + operands[0] + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    if (p_ == 0) {
      return operands[0];
    }
    const std::string factor = p_ == 1 ? "0" : "1 / (1 - " + python_repr(p_) + ")";
    return grouped(operands[0]) + " * " + operands[1] + " * np.float32(" + factor + ")";
  }
  Facts facts() const override { return {.kind = Kind::dropout, .p = p_, .value = static_cast<double>(scale())}; }
  std::string autograd_name(const std::vector<Tensor>& operands) const override {
    return p_ == 0 ? operands[0].grad_fn() : "MulBackward0";
  }

 private:
  float scale() const { return p_ == 1 ? 0 : 1 / static_cast<float>(1 - p_); }

  double p_;
};

}  // namespace

Tensor dropout(const Tensor& x, const Tensor& mask, double p) {
  if (mask.shape() != x.shape()) {
    throw ShapeError("dropout: mask " + shape_text(mask.shape()) + " is not of shape " + shape_text(x.shape()));
  }
  return Tensor(std::make_shared<Dropout>(p), {x, mask}, x.shape());
}

}  // namespace attn
