#include <cmath>

#include "tensor/operations.hpp"

namespace attn {
namespace {

/// torch.isclose's defaults.
constexpr float relative = 1e-05F;
constexpr float absolute = 1e-08F;

class AllClose final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array a = operands[0].array().contiguous();
    const Array b = operands[1].array().contiguous();
    Block<bool> result(Shape{});
    result[0] = true;
    for (std::int64_t i = 0; i < a.count(); ++i) {
      const float x = a.floats()[i];
      const float y = b.floats()[i];
      const bool close = x == y || std::abs(x - y) <= absolute + std::abs(relative * y);
      result[0] = result[0] && close;
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape&) const override {
    Derivation derivation(Derivation::Rule::comparison);
    const Shape& shape = operands[0].shape();
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      const Shape at = index_at(i, shape);
      derivation.add({0, at}, Element{1, at});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.isclose(" + operands[0] + ", " + operands[1] + ").all()";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.isclose(" + operands[0] + ", " + operands[1] + ").all()";
  }
  Facts facts() const override { return {.kind = Kind::comparison}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>&, std::size_t) const override { return std::nullopt; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return ""; }
};

}  // namespace

Tensor all_close(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) {
    throw ShapeError("all_close needs equal shapes, got " + shape_text(a.shape()) + " and " + shape_text(b.shape()));
  }
  return Tensor(std::make_shared<AllClose>(), {a, b}, {}, DType::boolean);
}

}  // namespace attn
