#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Stack final : public Operation {
 public:
  explicit Stack(std::int64_t copies) : copies_(copies) {}

  bool is_view() const override { return copies_ == 1; }  // of what it stacks: one copy shares the numbers

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{Box(part.begin() + 1, part.end())}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const Array x = operands[0].array().contiguous();
    if (part[0].size() == 1) {
      Shape strides = x.strides;
      strides.insert(strides.begin(), x.count());
      return Array(x, box_shape(part), std::move(strides), x.offset);
    }
    Block<float> stacked(box_shape(part));
    float* out = stacked.data();
    for (std::int64_t copy = 0; copy < part[0].size(); ++copy) {
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
    return copies_ <= 3 ? words(operands)
                        : "torch.stack([" + operands[0] + "] * " + std::to_string(copies_) + ", dim=0)";
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

/// Stacks tensors of one shape along a new axis.
class StackOf final : public Operation {
 public:
  explicit StackOf(std::size_t axis) : axis_(axis) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    const auto axis = part.begin() + static_cast<std::ptrdiff_t>(axis_);
    *axis = {0, static_cast<std::int64_t>(operands.size())};
    Box box = part;
    box.erase(box.begin() + static_cast<std::ptrdiff_t>(axis_));
    return std::vector<Need>(operands.size(), Need{box});
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Shape shape = operands[0].shape();
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis_), static_cast<std::int64_t>(operands.size()));
    const std::int64_t inner = row_major_strides(shape)[axis_];
    Block<float> stacked(shape);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Array x = operands[i].array().contiguous();
      for (std::int64_t at = 0; at < x.count(); at += inner) {
        std::copy_n(
            x.floats() + at, inner,
            stacked.data() + at * static_cast<std::int64_t>(operands.size()) + static_cast<std::int64_t>(i) * inner);
      }
    }
    return Array(std::move(stacked));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Shape at = index;
    at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis_));
    return Derivation(Derivation::Rule::copy, {static_cast<std::size_t>(index[axis_]), std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.stack([" + listed(operands) + "], dim=" + std::to_string(axis_) + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.stack([" + listed(operands) + "], axis=" + std::to_string(axis_) + ")";
  }
  Facts facts() const override { return {.kind = Kind::stack, .axis = static_cast<std::int64_t>(axis_)}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis == axis_ ? std::nullopt : Operation::axis_source(operands, axis < axis_ ? axis : axis - 1);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "StackBackward0"; }

 private:
  std::size_t axis_;
};

}  // namespace

Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim) {
  Shape shape = tensors.at(0).shape();
  const bool are_alike = std::ranges::all_of(tensors, [&](const Tensor& tensor) { return tensor.shape() == shape; });
  if (!are_alike || dim < 0 || dim > tensors[0].dim()) {
    throw ShapeError("stack needs tensors of one shape and an axis of the result");
  }
  shape.insert(shape.begin() + dim, static_cast<std::int64_t>(tensors.size()));
  return Tensor(std::make_shared<StackOf>(static_cast<std::size_t>(dim)), tensors, std::move(shape));
}

Tensor stack(const Tensor& x, std::int64_t copies) {
  Shape shape = x.shape();
  shape.insert(shape.begin(), copies);
  return Tensor(std::make_shared<Stack>(copies), {x}, std::move(shape));
}

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

namespace {

class Repeat final : public Operation {
 public:
  Repeat(std::size_t axis, std::int64_t repeats) : axis_(axis), repeats_(repeats) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    Box box = part;
    box[axis_] = {part[axis_].begin / repeats_, (part[axis_].end - 1) / repeats_ + 1};
    part[axis_] = {box[axis_].begin * repeats_, box[axis_].end * repeats_};
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const Array x = operands[0].array().contiguous();
    Block<float> repeated(box_shape(part));
    const std::int64_t inner = row_major_strides(x.shape)[axis_];
    float* out = repeated.data();
    for (std::int64_t at = 0; at < x.count(); at += inner) {
      for (std::int64_t i = 0; i < repeats_; ++i) {
        out = std::copy_n(x.floats() + at, inner, out);
      }
    }
    return Array(std::move(repeated));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Shape at = index;
    at[axis_] /= repeats_;
    return Derivation(Derivation::Rule::copy, {0, std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".repeat_interleave(" + std::to_string(repeats_) + ", dim=" + std::to_string(axis_) +
           ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.repeat(" + operands[0] + ", " + std::to_string(repeats_) + ", axis=" + std::to_string(axis_) + ")";
  }
  Facts facts() const override { return {.kind = Kind::repeat, .axis = static_cast<std::int64_t>(axis_)}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis == axis_ ? std::nullopt : Operation::axis_source(operands, axis);
  }
  /// Since PyTorch 2; IndexSelectBackward0 before.
  std::string autograd_name(const std::vector<Tensor>&) const override { return "ViewBackward0"; }

 private:
  std::size_t axis_;
  std::int64_t repeats_;
};

}  // namespace

Tensor repeat_interleave(const Tensor& x, std::int64_t repeats, std::int64_t dim) {
  Shape shape = x.shape();
  if (dim < 0 || dim >= x.dim() || repeats < 1) {
    throw ShapeError("repeat_interleave: shape " + shape_text(shape) + " has no axis " + std::to_string(dim) +
                     " to repeat " + std::to_string(repeats) + " times");
  }
  shape[static_cast<std::size_t>(dim)] *= repeats;
  return Tensor(std::make_shared<Repeat>(static_cast<std::size_t>(dim), repeats), {x}, std::move(shape));
}

}  // namespace attn
