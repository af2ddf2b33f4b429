#include "tensor/blas.hpp"
#include "tensor/operations.hpp"

namespace attn {
namespace {

class PairwiseDots final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands) const override {
    const Array a = operands[0].array().contiguous();
    const Array b = operands[1].array().contiguous();
    const std::int64_t width = a.shape[1];
    const Blas blas = operands[0].kernels().blas;
    Block<float> result({a.shape[0], b.shape[0]});
    float* out = result.data();
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
      for (std::int64_t j = 0; j < b.shape[0]; ++j) {
        *out++ = dot_product(blas, a.floats() + i * width, b.floats() + j * width, width);
      }
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::products);
    for (std::int64_t k = 0; k < operands[0].size(1); ++k) {
      derivation.add({0, {index[0], k}}, Element{1, {index[1], k}});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.stack([torch.stack([torch.dot(x_i, x_j) for x_j in " + operands[1] + "]) for x_i in " + operands[0] +
           "])";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.stack([np.stack([np.dot(x_i, x_j) for x_j in " + operands[1] + "]) for x_i in " + operands[0] + "])";
  }
  Facts facts() const override { return {.kind = Kind::pairwise_dots}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[axis], 0};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "StackBackward0"; }
};

}  // namespace

Tensor pairwise_dots(const Tensor& a, const Tensor& b) {
  if (a.dim() != 2 || b.dim() != 2 || a.size(1) != b.size(1)) {
    throw ShapeError("pairwise_dots: rows of " + shape_text(a.shape()) + " do not meet rows of " +
                     shape_text(b.shape()));
  }
  return Tensor(std::make_shared<PairwiseDots>(), {a, b}, {a.size(0), b.size(0)});
}

}  // namespace attn
