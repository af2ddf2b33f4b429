#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Raise final : public Operation {
 public:
  explicit Raise(double addend) : addend_(addend) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> values = operands[0].own_floats();
    for (float& value : values) {
      value += static_cast<float>(addend_);
    }
    return Array(std::move(values));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::raised, {0, index}, {}, addend_);
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " + " + python_repr(addend_);
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " + np.float32(" + python_repr(addend_) + ")";
  }
  Facts facts() const override { return {.kind = Kind::raised, .value = addend_}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "AddBackward0"; }

 private:
  double addend_;
};

}  // namespace

Tensor add(const Tensor& x, double addend) { return Tensor(std::make_shared<Raise>(addend), {x}, x.shape()); }

}  // namespace attn
