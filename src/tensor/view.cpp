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

}  // namespace attn
