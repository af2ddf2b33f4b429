#include "tensor/operations.hpp"

namespace attn {
namespace {

/// Without BLAS: every product is rounded before it is added, and the first comes first.
class DotByLoop final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands) const override {
    const Array a = operands[0].array().contiguous();
    const Array b = operands[1].array().contiguous();
    Block<float> result(Shape{});
    for (std::int64_t k = 0; k < a.count(); ++k) {
      result[0] += a.floats()[k] * b.floats()[k];
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape&) const override {
    Derivation derivation(Derivation::Rule::products);
    for (std::int64_t k = 0; k < operands[0].size(0); ++k) {
      derivation.add({0, {k}}, Element{1, {k}});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "sum(a * b for a, b in zip(" + operands[0] + ", " + operands[1] + "))";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "sum((a * b for a, b in zip(" + operands[0] + ", " + operands[1] + ")), np.float32(0))";
  }
  Facts facts() const override { return {.kind = Kind::dot}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>&, std::size_t) const override { return std::nullopt; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "AddBackward0"; }
};

}  // namespace

Tensor dot_by_loop(const Tensor& a, const Tensor& b) {
  if (a.dim() != 1 || a.shape() != b.shape()) {
    throw ShapeError("dot_by_loop needs two vectors of one size, got " + shape_text(a.shape()) + " and " +
                     shape_text(b.shape()));
  }
  return Tensor(std::make_shared<DotByLoop>(), {a, b}, {});
}

}  // namespace attn
