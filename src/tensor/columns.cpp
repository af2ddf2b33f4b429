#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Columns final : public Operation {
 public:
  explicit Columns(std::int64_t stop) : stop_(stop) {}

  Array compute(const std::vector<Tensor>& operands) const override {
    const Array& x = operands[0].array();
    Shape shape = x.shape;
    shape.back() = stop_;
    return Array(x, std::move(shape), x.strides, x.offset);
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::copy, {0, index});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + "[..., :" + std::to_string(stop_) + "]";
  }
  Facts facts() const override { return {.kind = Kind::columns}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SliceBackward0"; }
  bool is_view() const override { return true; }

 private:
  std::int64_t stop_;
};

}  // namespace

Tensor columns(const Tensor& x, std::int64_t stop) {
  if (x.dim() == 0 || stop < 1 || stop > x.size(-1)) {
    throw ShapeError("there are no " + std::to_string(stop) + " columns in shape " + shape_text(x.shape()));
  }
  Shape shape = x.shape();
  shape.back() = stop;
  return Tensor(std::make_shared<Columns>(stop), {x}, std::move(shape), x.dtype());
}

}  // namespace attn
