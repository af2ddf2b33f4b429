#include <algorithm>
#include <cmath>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
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

namespace {

class Dropout final : public Operation {
 public:
  explicit Dropout(double p) : p_(p) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return p_ == 0 ? std::vector<Need>{{part}} : std::vector<Need>{{part}, {part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    if (p_ == 0) {
      return operands[0].array();
    }
    const float factor = scale();
    Block<float> kept = operands[0].own_floats();
    const auto mask_contents = operands[1].array().contents();
    const auto& mask = std::get<Block<bool>>(*mask_contents);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept.data()[i] *= mask.data()[i] ? factor : 0;
    }
    return Array(std::move(kept));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    if (p_ == 0) {
      return Derivation(Derivation::Rule::copy, {0, index});
    }
    const bool is_kept = operands[1].value(index) != 0;
    return Derivation(is_kept ? Derivation::Rule::kept : Derivation::Rule::dropped, {0, index}, Element{1, index},
                      is_kept ? static_cast<double>(scale()) : 0);
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "nn.Dropout(" + python_repr(p_) + ")(" + operands[0] + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    if (p_ == 0) {
      return operands[0];
    }
    const std::string factor = p_ == 1 ? "0" : "1 / (1 - " + python_repr(p_) + ")";
    return grouped(operands[0]) + " * " + operands[1] + " * np.float32(" + factor + ")";
  }
  Facts facts() const override { return {.kind = Kind::dropout, .p = p_, .value = static_cast<double>(scale())}; }
  std::string autograd_name(const std::vector<Tensor>& operands) const override {
    return p_ == 0 ? operands[0].grad_fn() : "MulBackward0";
  }

 private:
  float scale() const { return p_ == 1 ? 0 : 1 / static_cast<float>(1 - p_); }

  double p_;
};

}  // namespace

Tensor dropout(const Tensor& x, const Tensor& mask, double p) {
  if (mask.shape() != x.shape()) {
    throw ShapeError("dropout: mask " + shape_text(mask.shape()) + " is not of shape " + shape_text(x.shape()));
  }
  return Tensor(std::make_shared<Dropout>(p), {x, mask}, x.shape());
}

namespace {

class Kept final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}, {part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> product = operands[0].own_floats();
    const auto mask_contents = operands[1].array().contents();
    const auto& mask = std::get<Block<bool>>(*mask_contents);
    for (std::size_t i = 0; i < product.size(); ++i) {
      product.data()[i] *= mask.data()[i] ? 1.0F : 0.0F;
    }
    return Array(std::move(product));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    const bool is_kept = operands[1].value(index) != 0;
    return Derivation(is_kept ? Derivation::Rule::kept : Derivation::Rule::dropped, {0, index}, Element{1, index},
                      is_kept ? 1 : 0);
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " * " + grouped(operands[1]);
  }
  Facts facts() const override { return {.kind = Kind::multiplied}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "MulBackward0"; }
};

}  // namespace

Tensor kept(const Tensor& x, const Tensor& mask) {
  if (mask.dtype() != DType::boolean || mask.shape() != x.shape()) {
    throw ShapeError("x * mask: mask " + shape_text(mask.shape()) + " is not of shape " + shape_text(x.shape()));
  }
  return Tensor(std::make_shared<Kept>(), {x, mask}, x.shape());
}

}  // namespace attn
