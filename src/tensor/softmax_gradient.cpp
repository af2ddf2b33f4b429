#include <span>
#include <utility>

#include "tensor/fused.hpp"
#include "tensor/lanes.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// The gradient of softmax's input, row by row: each gradient of a weight minus the row's sum of gradients times
/// weights, times its weight. That is the product with softmax's Jacobian, diag(w) - w w.T.
class SoftmaxGradient final : public Operation {
 public:
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
    Derivation derivation(Derivation::Rule::softmax_gradient);
    derivation.position = static_cast<std::size_t>(index.back());
    Shape at = index;
    for (at.back() = 0; at.back() < operands[0].size(-1); ++at.back()) {
      derivation.add({0, at}, Element{1, at});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch._softmax_backward_data(" + operands[0] + ", " + operands[1] + ", -1, torch.float32)";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    const std::string gradient = grouped(operands[0]);
    const std::string weight = grouped(operands[1]);
    return "(" + gradient + " - (" + gradient + " * " + weight + ").sum(axis=-1, keepdims=True)) * " + weight;
  }
  Facts facts() const override { return {.kind = Kind::softmax_gradient}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SoftmaxBackwardDataBackward0"; }

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
