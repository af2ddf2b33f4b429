#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Cat final : public Operation {
 public:
  /// `axis` counts from the front; `dim` is PyTorch's argument.
  Cat(std::size_t axis, std::int64_t dim) : axis_(axis), dim_(dim) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    std::vector<Need> each;
    part[axis_] = {0, 0};
    for (const Tensor& operand : operands) {
      Box box = part;
      box[axis_] = {0, operand.shape()[axis_]};
      each.push_back({std::move(box)});
    }
    for (const Tensor& operand : operands) {
      part[axis_].end += operand.shape()[axis_];
    }
    return each;
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    std::vector<Array> parts;
    Shape shape = operands[0].shape();
    shape[axis_] = 0;
    for (const Tensor& operand : operands) {
      parts.push_back(operand.array().contiguous());
      shape[axis_] += operand.shape()[axis_];
    }
    Block<float> joined(shape);
    const std::int64_t width =
        shape[axis_] * row_major_strides(shape)[axis_];  // elements of one run through the axis and all inner axes
    std::int64_t column = 0;
    for (const Array& part : parts) {
      const std::int64_t columns = part.shape[axis_] * row_major_strides(part.shape)[axis_];
      for (std::int64_t row = 0; columns > 0 && row < part.count() / columns; ++row) {
        std::copy_n(part.floats() + row * columns, columns, joined.data() + row * width + column);
      }
      column += columns;
    }
    return Array(std::move(joined));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Shape at = index;
    std::size_t part = 0;
    while (at[axis_] >= operands[part].shape()[axis_]) {
      at[axis_] -= operands[part++].shape()[axis_];
    }
    return Derivation(Derivation::Rule::copy, {part, std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.cat([" + listed(operands) + "], dim=" + std::to_string(dim_) + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.concatenate([" + listed(operands) + "], axis=" + std::to_string(dim_) + ")";
  }
  Facts facts() const override { return {.kind = Kind::cat, .axis = dim_}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis == axis_ ? std::nullopt : Operation::axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "CatBackward0"; }

 private:
  std::size_t axis_;
  std::int64_t dim_;
};

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim) {
  Shape shape = tensors.at(0).shape();
  const auto axis = static_cast<std::size_t>(dim < 0 ? dim + tensors[0].dim() : dim);
  if (axis >= shape.size()) {
    throw ShapeError("cat: shape " + shape_text(shape) + " has no axis " + std::to_string(dim));
  }
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    Shape other = tensors[i].shape();
    const std::int64_t size = axis < other.size() ? std::exchange(other[axis], tensors[0].shape()[axis]) : 0;
    if (other != tensors[0].shape()) {
      throw ShapeError("cat needs equal axes but the one that it is along, got " + shape_text(tensors[0].shape()) +
                       " and " + shape_text(tensors[i].shape()));
    }
    shape[axis] += size;
  }
  return Tensor(std::make_shared<Cat>(axis, dim), tensors, std::move(shape));
}

}  // namespace attn
