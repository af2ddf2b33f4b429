#include "tensor/blas.hpp"
#include "tensor/operations.hpp"

namespace attn {
namespace {

class Dots final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands) const override {
    const Array rows = operands[0].array().contiguous();
    const Array x = operands[1].array().contiguous();
    const std::int64_t width = rows.shape[1];
    const Blas blas = operands[0].kernels().blas;
    Block<float> result({rows.shape[0]});
    for (std::int64_t i = 0; i < rows.shape[0]; ++i) {
      result.data()[i] = dot_product(blas, rows.floats() + i * width, x.floats(), width);
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::products);
    for (std::int64_t k = 0; k < operands[1].size(0); ++k) {
      derivation.add({0, {index[0], k}}, Element{1, {k}});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.stack([torch.dot(x_i, " + operands[1] + ") for x_i in " + operands[0] + "])";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.stack([np.dot(x_i, " + operands[1] + ") for x_i in " + operands[0] + "])";
  }
  Facts facts() const override { return {.kind = Kind::dots}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t) const override {
    return AxisSource{operands[0], 0};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "StackBackward0"; }
};

}  // namespace

Tensor dots(const Tensor& rows, const Tensor& x) {
  if (rows.dim() != 2 || x.dim() != 1 || rows.size(1) != x.size(0)) {
    throw ShapeError("dots: rows of " + shape_text(rows.shape()) + " do not meet " + shape_text(x.shape()));
  }
  return Tensor(std::make_shared<Dots>(), {rows, x}, {rows.size(0)});
}

}  // namespace attn
