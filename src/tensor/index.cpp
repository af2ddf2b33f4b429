#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Index final : public Operation {
 public:
  explicit Index(std::int64_t i) : i_(i) {}

  Array compute(const std::vector<Tensor>& operands) const override {
    const Array& x = operands[0].array();
    return Array(x, Shape(x.shape.begin() + 1, x.shape.end()), Shape(x.strides.begin() + 1, x.strides.end()),
                 x.offset + i_ * x.strides[0]);
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Shape at = index;
    at.insert(at.begin(), i_);
    return Derivation(Derivation::Rule::copy, {0, std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + "[" + std::to_string(i_) + "]";
  }
  Facts facts() const override { return {.kind = Kind::index, .at = i_}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[0], axis + 1};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SelectBackward0"; }
  bool is_view() const override { return true; }

 private:
  std::int64_t i_;
};

}  // namespace

Tensor index(const Tensor& x, std::int64_t i) {
  if (x.dim() == 0 || i < 0 || i >= x.size(0)) {
    throw ShapeError("index " + std::to_string(i) + " is outside a tensor of shape " + shape_text(x.shape()));
  }
  return Tensor(std::make_shared<Index>(i), {x}, Shape(x.shape().begin() + 1, x.shape().end()), x.dtype());
}

}  // namespace attn
