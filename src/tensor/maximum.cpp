#include <cmath>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// The larger number; NaN if one is NaN.
float larger(float a, float b) { return std::isnan(a) || a > b ? a : b; }

class Amax final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    Box box = part;
    box.back() = {0, operands[0].size(-1)};
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array x = operands[0].array().contiguous();
    Shape shape = x.shape;
    const auto width = static_cast<std::size_t>(std::exchange(shape.back(), 1));
    Block<float> result(std::move(shape));
    const float* row = x.floats();
    for (float& most : result) {
      most = row[0];
      for (std::size_t i = 1; i < width; ++i) {
        most = larger(most, row[i]);
      }
      row += width;
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::maximum);
    Shape at = index;
    for (at.back() = 0; at.back() < operands[0].size(-1); ++at.back()) {
      derivation.add({0, at});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".amax(dim=-1, keepdim=True)";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".max(axis=-1, keepdims=True)";
  }
  Facts facts() const override { return {.kind = Kind::largest}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "AmaxBackward0"; }
};

class Maximum final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}, {part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> result = operands[0].own_floats();
    const Array y = operands[1].array().contiguous();
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = larger(result[i], y.floats()[i]);
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::maximum, {0, index});
    derivation.add({1, index});
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.maximum(" + listed(operands) + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.maximum(" + listed(operands) + ")";
  }
  Facts facts() const override { return {.kind = Kind::largest}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "MaximumBackward0"; }
};

}  // namespace

Tensor amax(const Tensor& x) {
  if (x.dim() == 0) {
    throw ShapeError("amax needs an axis");
  }
  Shape shape = x.shape();
  shape.back() = 1;
  return Tensor(std::make_shared<Amax>(), {x}, std::move(shape));
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) {
    throw ShapeError("the shapes " + shape_text(a.shape()) + " and " + shape_text(b.shape()) + " of maximum differ");
  }
  return Tensor(std::make_shared<Maximum>(), {a, b}, a.shape());
}

}  // namespace attn
