#include <cmath>
#include <utility>

#include "tensor/moments.hpp"
#include "tensor/operations.hpp"
#include "tensor/sums.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// A number for each row, [..., n] -> [..., 1]: its mean, its variance, or what nn.LayerNorm makes of them.
class OfRows : public Operation {
 public:
  explicit OfRows(Kind kind) : kind_(kind) {}

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
    for (float& number : result) {
      number = of({row, width}, kernels_of(operands).cpu);
      row += width;
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(rule());
    derivation.constant = facts().value;
    Shape at = index;
    for (at.back() = 0; at.back() < operands[0].size(-1); ++at.back()) {
      derivation.add({0, at});
    }
    return derivation;
  }
  Facts facts() const override { return {.kind = kind_}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }

 private:
  virtual float of(std::span<const float> row, Cpu cpu) const = 0;
  Derivation::Rule rule() const {
    return kind_ == Kind::mean       ? Derivation::Rule::mean
           : kind_ == Kind::variance ? Derivation::Rule::variance
                                     : Derivation::Rule::inverse_deviation;
  }

  Kind kind_;
};

class Mean final : public OfRows {
 public:
  Mean() : OfRows(Kind::mean) {}

  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".mean(dim=-1, keepdim=True)";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".mean(axis=-1, keepdims=True)";
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "MeanBackward1"; }

 private:
  float of(std::span<const float> row, Cpu) const override { return row_sum(row) / static_cast<float>(row.size()); }
};

class Variance final : public OfRows {
 public:
  Variance() : OfRows(Kind::variance) {}

  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".var(dim=-1, unbiased=False, keepdim=True)";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".var(axis=-1, keepdims=True)";
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "VarBackward0"; }

 private:
  float of(std::span<const float> row, Cpu) const override { return row_variance(row); }
};

/// The mean that nn.LayerNorm subtracts. PyTorch gives it as a result of native_layer_norm.
class LayerNormMean final : public OfRows {
 public:
  LayerNormMean() : OfRows(Kind::mean) {}

  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".mean(dim=-1, keepdim=True)";
  }
  std::string pytorch(const std::vector<std::string>& operands) const override {
    return "torch.native_layer_norm(" + operands[0] + ", " + grouped(operands[0]) + ".shape[-1:], None, None, 0.0)[1]";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".mean(axis=-1, keepdims=True)";
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "NativeLayerNormBackward0"; }

 private:
  float of(std::span<const float> row, Cpu cpu) const override { return layer_norm_moments(row, cpu).mean; }
};

/// The factor with which nn.LayerNorm multiplies: 1 / sqrt(variance + eps).
class LayerNormFactor final : public OfRows {
 public:
  explicit LayerNormFactor(double epsilon) : OfRows(Kind::inverse_deviation), epsilon_(epsilon) {}

  Facts facts() const override { return {.kind = Kind::inverse_deviation, .value = epsilon_}; }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.rsqrt(" + grouped(operands[0]) + ".var(dim=-1, unbiased=False, keepdim=True) + " +
           python_repr(epsilon_) + ")";
  }
  std::string pytorch(const std::vector<std::string>& operands) const override {
    return "torch.native_layer_norm(" + operands[0] + ", " + grouped(operands[0]) + ".shape[-1:], None, None, " +
           python_repr(epsilon_) + ")[2]";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "1 / np.sqrt(" + grouped(operands[0]) + ".var(axis=-1, keepdims=True) + np.float32(" +
           python_repr(epsilon_) + "))";
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "NativeLayerNormBackward0"; }

 private:
  float of(std::span<const float> row, Cpu cpu) const override {
    return 1 / std::sqrt(layer_norm_moments(row, cpu).variance + static_cast<float>(epsilon_));
  }

  double epsilon_;
};

template <class Made, class... Arguments>
Tensor of_rows(const Tensor& x, Arguments... arguments) {
  if (x.dim() == 0) {
    throw ShapeError("a mean needs an axis");
  }
  Shape shape = x.shape();
  shape.back() = 1;
  return Tensor(std::make_shared<Made>(arguments...), {x}, std::move(shape));
}

}  // namespace

Tensor mean(const Tensor& x) { return of_rows<Mean>(x); }

Tensor variance(const Tensor& x) { return of_rows<Variance>(x); }

Tensor layer_norm_mean(const Tensor& x) { return of_rows<LayerNormMean>(x); }

Tensor layer_norm_factor(const Tensor& x, double epsilon) { return of_rows<LayerNormFactor>(x, epsilon); }

}  // namespace attn
