#include <algorithm>
#include <utility>

#include "tensor/words.hpp"

namespace attn {
namespace {

class Stack final : public Moved {
 public:
  Stack(std::int64_t copies, Wording is) : Moved(std::move(is)), copies_(copies) {}

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
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis > 0 ? Operation::axis_source(operands, axis - 1) : std::nullopt;
  }

 private:
  std::int64_t copies_;
};

/// Joins tensors along an axis, or stacks tensors of one shape along a new one.
class Joined final : public Worded {
 public:
  Joined(std::size_t axis, bool is_new, Wording is) : Worded(std::move(is)), axis_(axis), is_new_(is_new) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    std::vector<Need> each;
    part[axis_] = {0, 0};
    for (const Tensor& operand : operands) {
      Box box = part;
      if (is_new_) {
        box.erase(box.begin() + static_cast<std::ptrdiff_t>(axis_));
      } else {
        box[axis_] = {0, operand.shape()[axis_]};
      }
      each.push_back({std::move(box)});
    }
    for (const Tensor& operand : operands) {
      part[axis_].end += items_of(operand);
    }
    return each;
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    Block<float> joined(box_shape(part));
    const std::int64_t inner = row_major_strides(joined.shape())[axis_];  // elements of an item
    const std::int64_t width = joined.shape()[axis_] * inner;
    std::int64_t column = 0;
    for (const Tensor& operand : operands) {
      const Array x = operand.array().contiguous();
      const std::int64_t columns = items_of(operand) * inner;
      for (std::int64_t row = 0; columns > 0 && row < x.count() / columns; ++row) {
        std::copy_n(x.floats() + row * columns, columns, joined.data() + row * width + column);
      }
      column += columns;
    }
    return Array(std::move(joined));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Shape at = index;
    std::size_t operand = 0;
    while (at[axis_] >= items_of(operands[operand])) {
      at[axis_] -= items_of(operands[operand++]);
    }
    if (is_new_) {
      at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis_));
    }
    return Derivation(Derivation::Rule::copy, {operand, std::move(at)});
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis == axis_ ? std::nullopt : Operation::axis_source(operands, axis - (is_new_ && axis > axis_ ? 1 : 0));
  }

 private:
  std::int64_t items_of(const Tensor& operand) const { return is_new_ ? 1 : operand.shape()[axis_]; }

  std::size_t axis_;
  bool is_new_;
};

}  // namespace

Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim) {
  Shape shape = tensors.at(0).shape();
  const bool are_alike = std::ranges::all_of(tensors, [&](const Tensor& tensor) { return tensor.shape() == shape; });
  if (!are_alike || dim < 0 || dim > tensors[0].dim()) {
    throw ShapeError("stack needs tensors of one shape and an axis of the result");
  }
  shape.insert(shape.begin() + dim, static_cast<std::int64_t>(tensors.size()));
  const std::string axis = std::to_string(dim) + ")";
  Wording is = {{.kind = Kind::stack, .axis = dim},
                "StackBackward0",
                "torch.stack([{all}], dim=" + axis,
                "np.stack([{all}], axis=" + axis};
  return Tensor(std::make_shared<Joined>(static_cast<std::size_t>(dim), true, std::move(is)), tensors,
                std::move(shape));
}

Tensor stack(const Tensor& x, std::int64_t copies) {
  Shape shape = x.shape();
  shape.insert(shape.begin(), copies);
  const std::string list = "([{a}] * " + std::to_string(copies);
  const char* const items = copies == 1   ? "{a},"
                            : copies == 2 ? "{a}, {a}"
                            : copies == 3 ? "{a}, {a}, {a}"
                                          : "{a}, ..., {a}";
  Wording is = {{.kind = Kind::stack},
                "StackBackward0",
                "torch.stack((" + std::string(items) + "), dim=0)",
                "np.stack" + list + ")",
                copies <= 3 ? "" : "torch.stack" + list + ", dim=0)"};
  return Tensor(std::make_shared<Stack>(copies, std::move(is)), {x}, std::move(shape));
}

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
  Wording is = {{.kind = Kind::cat, .axis = dim},
                "CatBackward0",
                "torch.cat([{all}], dim=" + std::to_string(dim) + ")",
                "np.concatenate([{all}], axis=" + std::to_string(dim) + ")"};
  return Tensor(std::make_shared<Joined>(axis, false, std::move(is)), tensors, std::move(shape));
}

namespace {

class Repeat final : public Moved {
 public:
  Repeat(std::size_t axis, std::int64_t repeats, Wording is) : Moved(std::move(is)), axis_(axis), repeats_(repeats) {}

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
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis == axis_ ? std::nullopt : Operation::axis_source(operands, axis);
  }

 private:
  std::size_t axis_;
  std::int64_t repeats_;
};

}  // namespace

/// Its autograd name is that since PyTorch 2; IndexSelectBackward0 before.
Tensor repeat_interleave(const Tensor& x, std::int64_t repeats, std::int64_t dim) {
  Shape shape = x.shape();
  if (dim < 0 || dim >= x.dim() || repeats < 1) {
    throw ShapeError("repeat_interleave: shape " + shape_text(shape) + " has no axis " + std::to_string(dim) +
                     " to repeat " + std::to_string(repeats) + " times");
  }
  const auto axis = static_cast<std::size_t>(dim);
  shape[axis] *= repeats;
  const std::string times = std::to_string(repeats);
  Wording is = {{.kind = Kind::repeat, .axis = dim},
                "ViewBackward0",
                "{(a)}.repeat_interleave(" + times + ", dim=" + std::to_string(dim) + ")",
                "np.repeat({a}, " + times + ", axis=" + std::to_string(dim) + ")"};
  return Tensor(std::make_shared<Repeat>(axis, repeats, std::move(is)), {x}, std::move(shape));
}

}  // namespace attn
