#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
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
