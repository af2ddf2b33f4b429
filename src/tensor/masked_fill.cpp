#include <algorithm>
#include <cmath>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class MaskedFill final : public Operation {
 public:
  explicit MaskedFill(float value) : value_(value) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    return std::vector<Need>{{part}, {Box(part.end() - operands[1].dim(), part.end())}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> filled = operands[0].own_floats();
    const auto mask_contents = operands[1].array().contents();
    const auto& mask = std::get<Block<bool>>(*mask_contents);
    for (std::size_t start = 0; start < filled.size(); start += mask.size()) {
      float* const covered = filled.data() + start;
      for (std::size_t i = 0; i < mask.size(); ++i) {
        covered[i] = mask[i] ? value_ : covered[i];
      }
    }
    return Array(std::move(filled));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    const Element covering = {1, Shape(index.end() - operands[1].dim(), index.end())};
    if (operands[1].value(covering.index) == 0) {
      return Derivation(Derivation::Rule::copy, {0, index}, covering);
    }
    return Derivation(Derivation::Rule::masked, covering, {}, static_cast<double>(value_));
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".masked_fill(" + operands[1] + ", " + value("torch") + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.where(" + operands[1] + ", np.float32(" + value("np") + "), " + operands[0] + ")";
  }
  Facts facts() const override { return {.kind = Kind::masked, .value = static_cast<double>(value_)}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "MaskedFillBackward0"; }

 private:
  /// The value in Python, whose inf comes from the module.
  std::string value(const std::string& module) const {
    if (std::isinf(value_)) {
      return (value_ < 0 ? "-" : "") + module + ".inf";
    }
    return python_repr(static_cast<double>(value_));
  }

  float value_;
};

}  // namespace

Tensor masked_fill(const Tensor& x, const Tensor& mask, float value) {
  const bool fits = mask.dtype() == DType::boolean && mask.dim() <= x.dim() &&
                    std::equal(mask.shape().rbegin(), mask.shape().rend(), x.shape().rbegin());
  if (!fits) {
    throw ShapeError("masked_fill: mask " + shape_text(mask.shape()) + " does not cover the last axes of " +
                     shape_text(x.shape()));
  }
  return Tensor(std::make_shared<MaskedFill>(value), {x, mask}, x.shape());
}

}  // namespace attn
