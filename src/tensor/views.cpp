#include <algorithm>
#include <utility>

#include "tensor/words.hpp"

namespace attn {
namespace {

/// A view of the first operand's numbers.
class Viewed : public Moved {
 public:
  using Moved::Moved;

  bool is_view() const override { return true; }
};

class View final : public Viewed {
 public:
  explicit View(const Shape& shape)
      : Viewed({{.kind = Kind::view},
                "ViewBackward0",
                "{(a)}.view(" + sizes_text(shape) + ")",
                "{(a)}.reshape(" + sizes_text(shape) + ")"}),
        shape_(shape) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    return std::vector<Need>{{reshaped_box(part, shape_, operands[0].shape())}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const Array& x = operands[0].array();
    const Shape shape = box_shape(part);
    Shape strides = view_strides(x, shape);
    if (strides.empty()) {
      throw ShapeError("no view of shape " + shape_text(shape) + " on a tensor of shape " + shape_text(x.shape) +
                       " and strides " + shape_text(x.strides));
    }
    return Array(x, shape, std::move(strides), x.offset);
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    return Derivation(Derivation::Rule::copy, {0, index_at(position_of(index, shape_), operands[0].shape())});
  }
  /// Axes continue up to the first that differs in size.
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const Shape& from = operands[0].shape();
    const auto end = shape_.begin() + static_cast<std::ptrdiff_t>(axis) + 1;
    const bool is_kept = axis < from.size() && std::equal(shape_.begin(), end, from.begin());
    return is_kept ? Operation::axis_source(operands, axis) : std::nullopt;
  }

 private:
  Shape shape_;
};

class Contiguous final : public Moved {
 public:
  Contiguous()
      : Moved({{.kind = Kind::contiguous}, "CloneBackward0", "{(a)}.contiguous()", "np.ascontiguousarray({a})"}) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    return operands[0].array().contiguous();
  }
};

}  // namespace

Tensor view(const Tensor& x, const Shape& shape) {
  if (element_count(shape) != element_count(x.shape())) {
    throw ShapeError("view: shape " + shape_text(shape) + " has another number of elements than " +
                     shape_text(x.shape()));
  }
  return Tensor(std::make_shared<View>(shape), {x}, shape, x.dtype());
}

Tensor contiguous(const Tensor& x) { return Tensor(std::make_shared<Contiguous>(), {x}, x.shape(), x.dtype()); }

namespace {

class Transpose final : public Viewed {
 public:
  Transpose(std::size_t axis_0, std::size_t axis_1, Wording is)
      : Viewed(std::move(is)), axis_0_(axis_0), axis_1_(axis_1) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    Box box = part;
    std::swap(box[axis_0_], box[axis_1_]);
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const Array& x = operands[0].array();
    Shape strides = x.strides;
    std::swap(strides[axis_0_], strides[axis_1_]);
    return Array(x, box_shape(part), std::move(strides), x.offset);
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[0], axis == axis_0_ ? axis_1_ : axis == axis_1_ ? axis_0_ : axis};
  }

 private:
  std::size_t axis_0_;
  std::size_t axis_1_;
};

Tensor transposed(const Tensor& x, std::int64_t axis_0, std::int64_t axis_1, bool is_t) {
  const std::string axes = std::to_string(axis_0) + ", " + std::to_string(axis_1);
  if (std::min(axis_0, axis_1) < 0 || std::max(axis_0, axis_1) >= x.dim()) {
    throw ShapeError("transpose(" + axes + ") needs these axes, got shape " + shape_text(x.shape()));
  }
  const auto first = static_cast<std::size_t>(axis_0);
  const auto second = static_cast<std::size_t>(axis_1);
  Shape shape = x.shape();
  std::swap(shape[first], shape[second]);
  Wording is = {{.kind = Kind::transpose, .axes = {first, second}}, "PermuteBackward0", "{(a)}.T"};
  if (!is_t) {
    is.autograd = "TransposeBackward0";
    is.words = "{(a)}.transpose(" + axes + ")";
    is.numpy = "{(a)}.swapaxes(" + axes + ")";
  }
  return Tensor(std::make_shared<Transpose>(first, second, std::move(is)), {x}, std::move(shape), x.dtype());
}

}  // namespace

Tensor transpose(const Tensor& x, std::int64_t axis_0, std::int64_t axis_1) {
  return transposed(x, axis_0, axis_1, false);
}

Tensor t(const Tensor& x) { return transposed(x, 0, 1, true); }

namespace {

class Index final : public Viewed {
 public:
  Index(std::int64_t i, std::size_t axis)
      : Viewed({{.kind = Kind::index, .axis = static_cast<std::int64_t>(axis), .at = i},
                "SelectBackward0",
                "{(a)}[" + axes_before(static_cast<std::int64_t>(axis)) + std::to_string(i) + "]"}),
        i_(i),
        axis_(axis) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    Box box = part;
    box.insert(box.begin() + static_cast<std::ptrdiff_t>(axis_), {i_, i_ + 1});
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const Array& x = operands[0].array();
    Shape strides = x.strides;
    strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(axis_));
    return Array(x, box_shape(part), std::move(strides), x.offset);
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[0], axis < axis_ ? axis : axis + 1};
  }

 private:
  std::int64_t i_;
  std::size_t axis_;
};

/// Every `step`-th item of an axis from `first` on.
class Slice final : public Viewed {
 public:
  Slice(std::size_t axis, std::int64_t first, std::int64_t step, Wording is)
      : Viewed(std::move(is)), axis_(axis), first_(first), step_(step) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    Box box = part;
    box[axis_] = {first_ + part[axis_].begin * step_, first_ + (part[axis_].end - 1) * step_ + 1};
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const Array& x = operands[0].array();
    Shape strides = x.strides;
    strides[axis_] *= step_;
    return Array(x, box_shape(part), std::move(strides), x.offset);
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis == axis_ ? std::nullopt : Operation::axis_source(operands, axis);
  }

 private:
  std::size_t axis_;
  std::int64_t first_;
  std::int64_t step_;
};

}  // namespace

Tensor index(const Tensor& x, std::int64_t i, std::int64_t axis) {
  if (axis < 0 || axis >= x.dim() || i < 0 || i >= x.size(axis)) {
    throw ShapeError("index " + std::to_string(i) + " is outside a tensor of shape " + shape_text(x.shape()));
  }
  Shape shape = x.shape();
  shape.erase(shape.begin() + axis);
  return Tensor(std::make_shared<Index>(i, static_cast<std::size_t>(axis)), {x}, std::move(shape), x.dtype());
}

Tensor every(const Tensor& x, std::int64_t first, std::int64_t step) {
  if (x.dim() == 0 || first < 0 || first >= x.size(-1) || step < 2) {
    throw ShapeError("shape " + shape_text(x.shape()) + " has no items from " + std::to_string(first) + " on, every " +
                     std::to_string(step));
  }
  Shape shape = x.shape();
  shape.back() = (shape.back() - first + step - 1) / step;
  Wording is = {{.kind = Kind::slice, .at = first, .every = step},
                "SliceBackward0",
                "{(a)}[..., " + (first == 0 ? "" : std::to_string(first)) + "::" + std::to_string(step) + "]"};
  return Tensor(std::make_shared<Slice>(x.shape().size() - 1, first, step, std::move(is)), {x}, std::move(shape),
                x.dtype());
}

Tensor slice(const Tensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  if (axis < -1 || axis >= x.dim() || x.dim() == 0 || begin < 0 || end <= begin || end > x.size(axis)) {
    throw ShapeError("axis " + std::to_string(axis) + " of shape " + shape_text(x.shape()) + " has no items from " +
                     std::to_string(begin) + " to " + std::to_string(end));
  }
  const auto from_front = static_cast<std::size_t>(axis < 0 ? axis + x.dim() : axis);
  Shape shape = x.shape();
  shape[from_front] = end - begin;
  Wording is = {
      {.kind = Kind::slice, .axis = axis, .at = begin},
      "SliceBackward0",
      "{(a)}[" + axes_before(axis) + (begin == 0 ? "" : std::to_string(begin)) + ":" + std::to_string(end) + "]"};
  return Tensor(std::make_shared<Slice>(from_front, begin, 1, std::move(is)), {x}, std::move(shape), x.dtype());
}

}  // namespace attn
