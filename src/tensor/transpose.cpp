#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Transpose final : public Operation {
 public:
  Transpose(std::size_t axis_0, std::size_t axis_1, bool is_t) : axis_0_(axis_0), axis_1_(axis_1), is_t_(is_t) {}

  Shape swapped(Shape sizes) const {
    std::swap(sizes[axis_0_], sizes[axis_1_]);
    return sizes;
  }
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    Box box = part;
    std::swap(box[axis_0_], box[axis_1_]);
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array& x = operands[0].array();
    return Array(x, swapped(x.shape), swapped(x.strides), x.offset);
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::copy, {0, swapped(index)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return is_t_
               ? grouped(operands[0]) + ".T"
               : grouped(operands[0]) + ".transpose(" + std::to_string(axis_0_) + ", " + std::to_string(axis_1_) + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return is_t_ ? words(operands)
                 : grouped(operands[0]) + ".swapaxes(" + std::to_string(axis_0_) + ", " + std::to_string(axis_1_) + ")";
  }
  Facts facts() const override { return {.kind = Kind::transpose, .axes = {axis_0_, axis_1_}}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[0], axis == axis_0_ ? axis_1_ : axis == axis_1_ ? axis_0_ : axis};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override {
    return is_t_ ? "PermuteBackward0" : "TransposeBackward0";
  }
  bool is_view() const override { return true; }

 private:
  std::size_t axis_0_;
  std::size_t axis_1_;
  bool is_t_;
};

Tensor transposed(const Tensor& x, std::int64_t axis_0, std::int64_t axis_1, bool is_t) {
  if (std::min(axis_0, axis_1) < 0 || std::max(axis_0, axis_1) >= x.dim()) {
    throw ShapeError("transpose(" + std::to_string(axis_0) + ", " + std::to_string(axis_1) +
                     ") needs these axes, got shape " + shape_text(x.shape()));
  }
  auto operation =
      std::make_shared<Transpose>(static_cast<std::size_t>(axis_0), static_cast<std::size_t>(axis_1), is_t);
  Shape shape = operation->swapped(x.shape());
  return Tensor(std::move(operation), {x}, std::move(shape), x.dtype());
}

}  // namespace

Tensor transpose(const Tensor& x, std::int64_t axis_0, std::int64_t axis_1) {
  return transposed(x, axis_0, axis_1, false);
}

Tensor t(const Tensor& x) { return transposed(x, 0, 1, true); }

}  // namespace attn
