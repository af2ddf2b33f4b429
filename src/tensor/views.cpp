#include <algorithm>
#include <numeric>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class View final : public Operation {
 public:
  explicit View(Shape shape) : shape_(std::move(shape)) {}

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
    const Shape strides = row_major_strides(shape_);
    const std::int64_t position = std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
    return Derivation(Derivation::Rule::copy, {0, index_at(position, operands[0].shape())});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".view(" + sizes_text(shape_) + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".reshape(" + sizes_text(shape_) + ")";
  }
  Facts facts() const override { return {.kind = Kind::view}; }
  /// Axes continue up to the first that differs in size.
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const Shape& from = operands[0].shape();
    const auto end = shape_.begin() + static_cast<std::ptrdiff_t>(axis) + 1;
    const bool is_kept = axis < from.size() && std::equal(shape_.begin(), end, from.begin());
    return is_kept ? Operation::axis_source(operands, axis) : std::nullopt;
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "ViewBackward0"; }
  bool is_view() const override { return true; }

 private:
  Shape shape_;
};

class Contiguous final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    return operands[0].array().contiguous();
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::copy, {0, index});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".contiguous()";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.ascontiguousarray(" + operands[0] + ")";
  }
  Facts facts() const override { return {.kind = Kind::contiguous}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "CloneBackward0"; }
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

namespace {

class Slice final : public Operation {
 public:
  /// Items [begin, end) of the axis, which may count from the end.
  Slice(std::int64_t axis, std::int64_t begin, std::int64_t end) : axis_(axis), begin_(begin), end_(end) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    Box box = part;
    Range& range = box[axis_of(operands[0].shape())];
    range = {range.begin + begin_, range.end + begin_};
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override { return operands[0].array(); }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Shape at = index;
    at[axis_of(operands[0].shape())] += begin_;
    return Derivation(Derivation::Rule::copy, {0, std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    const std::string begin = begin_ == 0 ? "" : std::to_string(begin_);
    return grouped(operands[0]) + "[" + axes_before(axis_) + begin + ":" + std::to_string(end_) + "]";
  }
  Facts facts() const override { return {.kind = Kind::slice, .axis = axis_, .at = begin_}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return axis == axis_of(operands[0].shape()) ? std::nullopt : Operation::axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SliceBackward0"; }
  bool is_view() const override { return true; }

 private:
  std::size_t axis_of(const Shape& shape) const {
    return static_cast<std::size_t>(axis_ < 0 ? axis_ + static_cast<std::int64_t>(shape.size()) : axis_);
  }

  std::int64_t axis_;
  std::int64_t begin_;
  std::int64_t end_;
};

/// Items of the last axis that are not adjacent.
class Every final : public Operation {
 public:
  Every(std::int64_t first, std::int64_t step) : first_(first), step_(step) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    Box box = part;
    box.back() = {place(part.back().begin), place(part.back().end - 1) + 1};
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const Array& x = operands[0].array();
    Shape strides = x.strides;
    strides.back() *= step_;
    return Array(x, box_shape(part), std::move(strides), x.offset);
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Shape at = index;
    at.back() = place(at.back());
    return Derivation(Derivation::Rule::copy, {0, std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + "[..., " + (first_ == 0 ? "" : std::to_string(first_)) +
           "::" + std::to_string(step_) + "]";
  }
  Facts facts() const override { return {.kind = Kind::slice, .at = first_, .every = step_}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SliceBackward0"; }
  bool is_view() const override { return true; }

 private:
  std::int64_t place(std::int64_t item) const { return first_ + item * step_; }

  std::int64_t first_;
  std::int64_t step_;
};

}  // namespace

Tensor every(const Tensor& x, std::int64_t first, std::int64_t step) {
  if (x.dim() == 0 || first < 0 || first >= x.size(-1) || step < 2) {
    throw ShapeError("shape " + shape_text(x.shape()) + " has no items from " + std::to_string(first) + " on, every " +
                     std::to_string(step));
  }
  Shape shape = x.shape();
  shape.back() = (shape.back() - first + step - 1) / step;
  return Tensor(std::make_shared<Every>(first, step), {x}, std::move(shape), x.dtype());
}

Tensor slice(const Tensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  if (axis < -1 || axis >= x.dim() || x.dim() == 0 || begin < 0 || end <= begin || end > x.size(axis)) {
    throw ShapeError("axis " + std::to_string(axis) + " of shape " + shape_text(x.shape()) + " has no items from " +
                     std::to_string(begin) + " to " + std::to_string(end));
  }
  Shape shape = x.shape();
  shape[static_cast<std::size_t>(axis < 0 ? axis + x.dim() : axis)] = end - begin;
  return Tensor(std::make_shared<Slice>(axis, begin, end), {x}, std::move(shape), x.dtype());
}

}  // namespace attn
