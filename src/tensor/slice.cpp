#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
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
