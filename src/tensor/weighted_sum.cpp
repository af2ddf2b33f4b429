#include "tensor/operations.hpp"

namespace attn {
namespace {

class WeightedSum final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands) const override {
    const Array weights = operands[0].array().contiguous();
    const Array rows = operands[1].array().contiguous();
    const std::int64_t width = rows.shape[1];
    Block<float> result({width});
    for (std::int64_t i = 0; i < rows.shape[0]; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        result.data()[j] += weights.floats()[i] * rows.floats()[i * width + j];
      }
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::products);
    for (std::int64_t k = 0; k < operands[0].size(0); ++k) {
      derivation.add({0, {k}}, Element{1, {k, index[0]}});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "sum(" + operands[0] + "[i] * x_i for i, x_i in enumerate(" + operands[1] + "))";
  }
  Facts facts() const override { return {.kind = Kind::weighted_sum}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t) const override {
    return AxisSource{operands[1], 1};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "AddBackward0"; }
};

}  // namespace

Tensor weighted_sum(const Tensor& weights, const Tensor& rows) {
  if (weights.dim() != 1 || rows.dim() != 2 || weights.size(0) != rows.size(0)) {
    throw ShapeError("weighted_sum needs a weight for each row, got " + shape_text(weights.shape()) + " and " +
                     shape_text(rows.shape()));
  }
  return Tensor(std::make_shared<WeightedSum>(), {weights, rows}, {rows.size(1)});
}

}  // namespace attn
