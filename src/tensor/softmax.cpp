#include <functional>
#include <utility>

#include "tensor/math.hpp"
#include "tensor/reductions.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Softmax final : public Worded {
 public:
  Softmax()
      : Worded({{.kind = Kind::softmax}, "SoftmaxBackward0", "torch.softmax({a}, dim=-1)", "softmax({a}, axis=-1)"}) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    part.back() = {0, operands[0].size(-1)};
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> weights = operands[0].own_floats();
    const auto width = static_cast<std::size_t>(operands[0].size(-1));
    for (std::size_t start = 0; start < weights.size(); start += width) {
      normalise({weights.data() + start, width}, kernels_of(operands).cpu);
    }
    return Array(std::move(weights));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    return Derivation::along(Derivation::Rule::softmax, index, index.size() - 1, operands[0].size(-1));
  }

 private:
  /// Works in passes: maximum, difference, exponential, sum, product with the sum's reciprocal.
  static void normalise(std::span<float> row, Cpu cpu) {
    const float largest = *std::max_element(row.begin(), row.end());
    for (float& value : row) {
      value -= largest;
    }
    softmax_exp(row, cpu);
    const float sum = lane_sum(
        row.size(), cpu, [row](std::size_t i) { return row[i]; },
        [row](float so_far, std::size_t i, bool) { return so_far + row[i]; });
    const float reciprocal = 1 / sum;
    for (float& value : row) {
      value *= reciprocal;
    }
  }
};

}  // namespace

Tensor softmax(const Tensor& x) {
  if (x.dim() == 0) {
    throw ShapeError("softmax needs an axis");
  }
  return Tensor(std::make_shared<Softmax>(), {x}, x.shape());
}

namespace {

/// PyTorch's vec_softmax: as many adjacent columns as the kernels have lanes go down the axis together; the remaining
/// ones go one by one.
class SoftmaxOver final : public Worded {
 public:
  explicit SoftmaxOver(std::size_t axis)
      : Worded({{.kind = Kind::softmax, .axis = static_cast<std::int64_t>(axis)},
                "SoftmaxBackward0",
                "torch.softmax({a}, dim=" + std::to_string(axis) + ")",
                "softmax({a}, axis=" + std::to_string(axis) + ")"}),
        axis_(axis) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> weights = operands[0].own_floats();
    const Shape& shape = operands[0].shape();
    const auto inner = static_cast<std::size_t>(row_major_strides(shape)[axis_]);
    const auto size = static_cast<std::size_t>(shape[axis_]);
    for (std::size_t start = 0; start < weights.size(); start += size * inner) {
      normalise({weights.data() + start, size * inner}, inner, kernels_of(operands).cpu);
    }
    return Array(std::move(weights));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    return Derivation::along(Derivation::Rule::softmax, index, axis_, operands[0].shape()[axis_]);
  }

 private:
  /// x [size, inner]. Works in passes: maximum, difference, exponential, sum, quotient.
  static void normalise(std::span<float> x, std::size_t inner, Cpu cpu) {
    const std::size_t in_lanes = inner - inner % softmax_lanes(cpu);
    std::vector<float> largest(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(inner));
    for (std::size_t i = inner; i < x.size(); ++i) {
      largest[i % inner] = std::max(largest[i % inner], x[i]);
    }
    std::vector<float> sums(inner);
    for (std::size_t start = 0; start < x.size(); start += inner) {
      const std::span<float> row = x.subspan(start, inner);
      std::transform(row.begin(), row.end(), largest.begin(), row.begin(), std::minus<>());
      softmax_exp(row.first(in_lanes), cpu);
      softmax_exp(row.subspan(in_lanes), Cpu::standard);
      std::transform(sums.begin(), sums.end(), row.begin(), sums.begin(), std::plus<>());
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] /= sums[i % inner];
    }
  }

  std::size_t axis_;
};

}  // namespace

Tensor softmax_over(const Tensor& x, std::int64_t axis) {
  if (axis < 0 || axis >= x.dim() - 1) {
    throw ShapeError("softmax over dim " + std::to_string(axis) + " needs an axis before the last, got shape " +
                     shape_text(x.shape()));
  }
  return Tensor(std::make_shared<SoftmaxOver>(static_cast<std::size_t>(axis)), {x}, x.shape());
}

namespace {

/// The gradient of softmax's input, row by row: each gradient of a weight minus the row's sum of gradients times
/// weights, times its weight. That is the product with softmax's Jacobian, diag(w) - w w.T.
class SoftmaxGradient final : public Worded {
 public:
  SoftmaxGradient()
      : Worded({{.kind = Kind::softmax_gradient},
                "SoftmaxBackwardDataBackward0",
                "torch._softmax_backward_data({a}, {b}, -1, torch.float32)",
                "({(a)} - ({(a)} * {(b)}).sum(axis=-1, keepdims=True)) * {(b)}"}) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    part.back() = {0, operands[0].size(-1)};
    return std::vector<Need>{{part}, {part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> gradients = operands[0].own_floats();
    const Array weights = operands[1].array().contiguous();
    const auto width = static_cast<std::size_t>(operands[0].size(-1));
    for (std::size_t start = 0; start < gradients.size(); start += width) {
      differentiate({gradients.data() + start, width}, {weights.floats() + start, width}, kernels_of(operands).cpu);
    }
    return Array(std::move(gradients));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    return Derivation::along(Derivation::Rule::softmax_gradient, index, index.size() - 1, operands[0].size(-1), true);
  }

 private:
  /// PyTorch 2.14's compiler fused products and sums everywhere with avx512 and in the tail with avx2; 2.6's with avx2
  /// nowhere, 1.13's everywhere.
  static void differentiate(std::span<float> gradients, std::span<const float> weights, Cpu cpu) {
    const auto term = [&](std::size_t i) { return gradients[i] * weights[i]; };
    const auto added = [&](float sum, std::size_t i, bool is_tail) {
      const bool is_fused = cpu == Cpu::avx512 || (cpu == Cpu::avx2 && is_tail);
      return is_fused ? fused(gradients[i], weights[i], sum) : sum + term(i);
    };
    const float sum = lane_sum(gradients.size(), cpu, term, added);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = (gradients[i] - sum) * weights[i];
    }
  }
};

}  // namespace

Tensor softmax_gradient(const Tensor& gradients, const Tensor& weights) {
  if (gradients.dim() == 0 || gradients.shape() != weights.shape()) {
    throw ShapeError("softmax_gradient: gradients " + shape_text(gradients.shape()) + " are not those of weights " +
                     shape_text(weights.shape()));
  }
  return Tensor(std::make_shared<SoftmaxGradient>(), {gradients, weights}, gradients.shape());
}

}  // namespace attn
