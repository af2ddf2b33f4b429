#include <cmath>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// The last step of nn.LayerNorm. Under avx2 its multiplication and addition are fused.
class ScaleAndShift final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}, {{part.back()}}, {{part.back()}}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> values = operands[0].own_floats();
    const Array scales = operands[1].array().contiguous();
    const Array shifts = operands[2].array().contiguous();
    const bool is_fused = kernels_of(operands).cpu != Cpu::standard;
    const auto width = static_cast<std::size_t>(scales.count());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float scale = scales.floats()[i % width];
      const float shift = shifts.floats()[i % width];
      values[i] = is_fused ? std::fma(values[i], scale, shift) : values[i] * scale + shift;
    }
    return Array(std::move(values));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::products, {0, index}, Element{1, {index.back()}});
    derivation.bias = Element{2, {index.back()}};
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " * " + grouped(operands[1]) + " + " + operands[2];
  }
  std::string pytorch(const std::vector<std::string>& operands) const override {
    return "torch.addcmul(" + operands[2] + ", " + operands[0] + ", " + operands[1] + ")";
  }
  Facts facts() const override { return {.kind = Kind::scaled_and_shifted}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "NativeLayerNormBackward0"; }
};

}  // namespace

Tensor scale_and_shift(const Tensor& x, const Tensor& scales, const Tensor& shifts) {
  const Shape row = {x.dim() == 0 ? 1 : x.size(-1)};
  if (x.dim() == 0 || scales.shape() != row || shifts.shape() != row) {
    throw ShapeError("the last axis of " + shape_text(x.shape()) + " does not meet a weight of " +
                     shape_text(scales.shape()) + " and a bias of " + shape_text(shifts.shape()));
  }
  return Tensor(std::make_shared<ScaleAndShift>(), {x, scales, shifts}, x.shape());
}

}  // namespace attn
