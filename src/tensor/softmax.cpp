#include <algorithm>
#include <span>

#include "tensor/exp.hpp"
#include "tensor/lanes.hpp"
#include "tensor/operations.hpp"

namespace attn {
namespace {

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

}  // namespace attn
