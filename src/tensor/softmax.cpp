#include <algorithm>
#include <array>
#include <span>

#include "tensor/exp.hpp"
#include "tensor/operations.hpp"

namespace attn {
namespace {

/// The sum in the order of PyTorch's vectorised reduction: one accumulator per lane, the tail added to the first lanes;
/// then folded in halves (avx2, avx512) or from left to right (default kernels).
float lane_sum(std::span<const float> values, Cpu cpu) {
  const std::size_t lanes = softmax_lanes(cpu);
  if (values.size() < lanes) {
    float sum = values[0];
    for (const float value : values.subspan(1)) {
      sum += value;
    }
    return sum;
  }
  std::array<float, softmax_lanes(Cpu::avx512)> lane{};
  std::copy_n(values.begin(), lanes, lane.begin());
  for (std::size_t start = lanes; start < values.size(); start += lanes) {
    const std::size_t count = std::min(lanes, values.size() - start);
    for (std::size_t k = 0; k < count; ++k) {
      lane[k] += values[start + k];
    }
  }
  if (cpu != Cpu::standard) {
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) {
        lane[k] += lane[k + half];
      }
    }
    return lane[0];
  }
  float sum = lane[0];
  for (std::size_t k = 1; k < lanes; ++k) {
    sum += lane[k];
  }
  return sum;
}

class Softmax final : public Operation {
 public:
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
    Derivation derivation(Derivation::Rule::softmax);
    derivation.position = static_cast<std::size_t>(index.back());
    Shape at = index;
    for (at.back() = 0; at.back() < operands[0].size(-1); ++at.back()) {
      derivation.add({0, at});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.softmax(" + operands[0] + ", dim=-1)";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "softmax(" + operands[0] + ", axis=-1)";
  }
  Facts facts() const override { return {.kind = Kind::softmax}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SoftmaxBackward0"; }

 private:
  /// Works in passes: maximum, difference, exponential, sum, product with the sum's reciprocal.
  static void normalise(std::span<float> row, Cpu cpu) {
    const float largest = *std::max_element(row.begin(), row.end());
    for (float& value : row) {
      value -= largest;
    }
    softmax_exp(row, cpu);
    const float reciprocal = 1 / lane_sum(row, cpu);
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

}  // namespace attn
