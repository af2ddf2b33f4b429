#include <algorithm>
#include <cmath>
#include <utility>

#include "tensor/words.hpp"

namespace attn {
namespace {

using Rule = Derivation::Rule;

class MaskedFill final : public Pointwise {
 public:
  explicit MaskedFill(float value)
      : Pointwise({{.kind = Kind::masked, .value = static_cast<double>(value)},
                   "MaskedFillBackward0",
                   "{(a)}.masked_fill({b}, " + text_of(value, "torch") + ")",
                   "np.where({b}, np.float32(" + text_of(value, "np") + "), {a})"}),
        value_(value) {}

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
      return Derivation(Rule::copy, {0, index}, covering);
    }
    return Derivation(Rule::masked, covering, {}, static_cast<double>(value_));
  }

 private:
  /// The value in Python, whose inf comes from the module.
  static std::string text_of(float value, const std::string& module) {
    return std::isinf(value) ? (value < 0 ? "-" : "") + module + ".inf" : python_repr(static_cast<double>(value));
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

/// Elements times a factor where the mask is True, else times 0.
class Kept : public Pointwise {
 public:
  Kept(float factor, Wording is) : Pointwise(std::move(is)), factor_(factor) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> kept = operands[0].own_floats();
    const auto mask_contents = operands[1].array().contents();
    const auto& mask = std::get<Block<bool>>(*mask_contents);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept.data()[i] *= mask.data()[i] ? factor_ : 0;
    }
    return Array(std::move(kept));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    const bool is_kept = operands[1].value(index) != 0;
    return Derivation(is_kept ? Rule::kept : Rule::dropped, {0, index}, Element{1, index},
                      is_kept ? static_cast<double>(factor_) : 0);
  }

 private:
  float factor_;
};

/// nn.Dropout(0): the operand itself.
class NotDropped final : public Moved {
 public:
  using Moved::Moved;

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override { return operands[0].array(); }
  std::string autograd_name(const std::vector<Tensor>& operands) const override { return operands[0].grad_fn(); }
};

}  // namespace

Tensor dropout(const Tensor& x, const Tensor& mask, double p) {
  if (mask.shape() != x.shape()) {
    throw ShapeError("dropout: mask " + shape_text(mask.shape()) + " is not of shape " + shape_text(x.shape()));
  }
  const float factor = p == 1 ? 0 : 1 / static_cast<float>(1 - p);
  const std::string in_numpy = p == 1 ? "0" : "1 / (1 - " + python_repr(p) + ")";
  Wording is = {{.kind = Kind::dropout, .p = p, .value = static_cast<double>(factor)},
                "MulBackward0",
                "nn.Dropout(" + python_repr(p) + ")({a})",
                p == 0 ? "{a}" : "{(a)} * {b} * np.float32(" + in_numpy + ")"};
  if (p == 0) {
    return Tensor(std::make_shared<NotDropped>(std::move(is)), {x, mask}, x.shape());
  }
  return Tensor(std::make_shared<Kept>(factor, std::move(is)), {x, mask}, x.shape());
}

Tensor kept(const Tensor& x, const Tensor& mask) {
  if (mask.dtype() != DType::boolean || mask.shape() != x.shape()) {
    throw ShapeError("x * mask: mask " + shape_text(mask.shape()) + " is not of shape " + shape_text(x.shape()));
  }
  return Tensor(std::make_shared<Kept>(1.0F, Wording{{.kind = Kind::multiplied}, "MulBackward0", "{(a)} * {(b)}"}),
                {x, mask}, x.shape());
}

}  // namespace attn
