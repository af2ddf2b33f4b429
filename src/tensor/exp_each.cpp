#include <span>
#include <utility>

#include "tensor/exp.hpp"
#include "tensor/operations.hpp"

namespace attn {
namespace {

class Exp final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> values = operands[0].own_floats();
    softmax_exp(std::span<float>(values.data(), values.size()), kernels_of(operands).cpu);
    return Array(std::move(values));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::exponential, {0, index});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.exp(" + operands[0] + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override { return "np.exp(" + operands[0] + ")"; }
  Facts facts() const override { return {.kind = Kind::exp}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "ExpBackward0"; }
};

}  // namespace

Tensor exp(const Tensor& x) { return Tensor(std::make_shared<Exp>(), {x}, x.shape()); }

}  // namespace attn
