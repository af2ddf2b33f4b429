#include "tensor/blas.hpp"
#include "tensor/operations.hpp"

namespace attn {
namespace {

class Dot final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands) const override {
    const Array a = operands[0].array().contiguous();
    const Array b = operands[1].array().contiguous();
    Block<float> result(Shape{});
    result[0] = dot_product(operands[0].kernels().blas, a.floats(), b.floats(), a.count());
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
    return "torch.dot(" + operands[0] + ", " + operands[1] + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.dot(" + operands[0] + ", " + operands[1] + ")";
  }
  Facts facts() const override { return {.kind = Kind::dot}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>&, std::size_t) const override { return std::nullopt; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "DotBackward0"; }
};

}  // namespace

Tensor dot(const Tensor& a, const Tensor& b) {
  if (a.dim() != 1 || a.shape() != b.shape()) {
    throw ShapeError("dot needs two vectors of one size, got " + shape_text(a.shape()) + " and " +
                     shape_text(b.shape()));
  }
  return Tensor(std::make_shared<Dot>(), {a, b}, {});
}

}  // namespace attn
