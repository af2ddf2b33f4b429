#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Index final : public Operation {
 public:
  Index(std::int64_t i, std::size_t axis) : i_(i), axis_(axis) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    Box box = part;
    box.insert(box.begin() + static_cast<std::ptrdiff_t>(axis_), {i_, i_ + 1});
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array& x = operands[0].array();
    return Array(x, without(x.shape), without(x.strides), x.offset);
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Shape at = index;
    at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis_), i_);
    return Derivation(Derivation::Rule::copy, {0, std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + "[" + axes_before(static_cast<std::int64_t>(axis_)) + std::to_string(i_) + "]";
  }
  Facts facts() const override { return {.kind = Kind::index, .axis = static_cast<std::int64_t>(axis_), .at = i_}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[0], axis < axis_ ? axis : axis + 1};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SelectBackward0"; }
  bool is_view() const override { return true; }

  /// Removes the axis from a shape or strides.
  Shape without(Shape of_all) const {
    of_all.erase(of_all.begin() + static_cast<std::ptrdiff_t>(axis_));
    return of_all;
  }

 private:
  std::int64_t i_;
  std::size_t axis_;
};

}  // namespace

Tensor index(const Tensor& x, std::int64_t i, std::int64_t axis) {
  if (axis < 0 || axis >= x.dim() || i < 0 || i >= x.size(axis)) {
    throw ShapeError("index " + std::to_string(i) + " is outside a tensor of shape " + shape_text(x.shape()));
  }
  auto operation = std::make_shared<Index>(i, static_cast<std::size_t>(axis));
  Shape shape = operation->without(x.shape());
  return Tensor(std::move(operation), {x}, std::move(shape), x.dtype());
}

}  // namespace attn
