#include <algorithm>

#include "tensor/operations.hpp"

namespace attn {
namespace {

class Stack final : public Operation {
 public:
  explicit Stack(std::int64_t copies) : copies_(copies) {}

  Array compute(const std::vector<Tensor>& operands) const override {
    const Array x = operands[0].array().contiguous();
    Shape shape = x.shape;
    shape.insert(shape.begin(), copies_);
    Block<float> stacked(shape);
    float* out = stacked.data();
    for (std::int64_t copy = 0; copy < copies_; ++copy) {
      out = std::copy_n(x.floats(), x.count(), out);
    }
    return Array(std::move(stacked));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::copy, {0, Shape(index.begin() + 1, index.end())});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    const std::string& x = operands[0];
    switch (copies_) {
      case 1: return "torch.stack((" + x + ",), dim=0)";
      case 2: return "torch.stack((" + x + ", " + x + "), dim=0)";
      case 3: return "torch.stack((" + x + ", " + x + ", " + x + "), dim=0)";
      default: return "torch.stack((" + x + ", ..., " + x + "), dim=0)";
    }
  }
  std::string pytorch(const std::vector<std::string>& operands) const override {
    return copies_ <= 3 ? words(operands) : "torch.stack([" + operands[0] + "] * " + std::to_string(copies_) + ", dim=0)";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.stack([" + operands[0] + "] * " + std::to_string(copies_) + ")";
  }
  Facts facts() const override { return {.kind = Kind::stack}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis > 0 ? Operation::axis_source(operands, axis - 1) : std::nullopt;
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "StackBackward0"; }

 private:
  std::int64_t copies_;
};

}  // namespace

Tensor stack(const Tensor& x, std::int64_t copies) {
  Shape shape = x.shape();
  shape.insert(shape.begin(), copies);
  return Tensor(std::make_shared<Stack>(copies), {x}, std::move(shape));
}

}  // namespace attn
