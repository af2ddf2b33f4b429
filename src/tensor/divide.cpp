#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Divide final : public Operation {
 public:
  Divide(double divisor, std::string words) : divisor_(static_cast<float>(divisor)), words_(std::move(words)) {}

  Array compute(const std::vector<Tensor>& operands) const override {
    Block<float> quotient = std::get<Block<float>>(*operands[0].array().contents());
    for (float& value : quotient) {
      value /= divisor_;
    }
    return Array(std::move(quotient));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::quotient, {0, index}, {}, static_cast<double>(divisor_));
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " / " + words_;
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "DivBackward0"; }

 private:
  float divisor_;
  std::string words_;
};

}  // namespace

Tensor divide(const Tensor& x, double divisor, const std::string& words) {
  return Tensor(std::make_shared<Divide>(divisor, words), {x}, x.shape());
}

}  // namespace attn
