#include "tensor/blas.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Matvec final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands) const override {
    const Array a = operands[0].array().contiguous();
    const Array x = operands[1].array().contiguous();
    Block<float> result({a.shape[0]});
    gemv(operands[0].kernels().blas, a.floats(), a.shape[0], a.shape[1], x.floats(), result.data());
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
    return grouped(operands[0]) + " @ " + grouped(operands[1]);
  }
  Facts facts() const override { return {.kind = Kind::matvec}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t) const override {
    return AxisSource{operands[0], 0};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "MvBackward0"; }
};

class Matvecs final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands) const override {
    const Array a = operands[0].array().contiguous();
    const Array rows = operands[1].array().contiguous();
    const std::int64_t width = rows.shape[1];
    const Blas blas = operands[0].kernels().blas;
    Block<float> result({rows.shape[0], a.shape[0]});
    for (std::int64_t i = 0; i < rows.shape[0]; ++i) {
      gemv(blas, a.floats(), a.shape[0], width, rows.floats() + i * width, result.data() + i * a.shape[0]);
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::products);
    for (std::int64_t k = 0; k < operands[0].size(1); ++k) {
      derivation.add({0, {index[1], k}}, Element{1, {index[0], k}});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.stack([" + grouped(operands[0]) + " @ x_i for x_i in " + operands[1] + "])";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.stack([" + grouped(operands[0]) + " @ x_i for x_i in " + operands[1] + "])";
  }
  Facts facts() const override { return {.kind = Kind::matvecs}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[axis == 0 ? 1 : 0], 0};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "StackBackward0"; }
};

void check(const Tensor& a, const Tensor& x) {
  if (a.dim() != 2 || x.dim() == 0 || a.size(1) != x.size(-1)) {
    throw ShapeError("matvec: the rows of " + shape_text(a.shape()) + " do not meet " + shape_text(x.shape()));
  }
}

}  // namespace

Tensor matvec(const Tensor& a, const Tensor& x) {
  check(a, x);
  return Tensor(std::make_shared<Matvec>(), {a, x}, {a.size(0)});
}

Tensor matvecs(const Tensor& a, const Tensor& rows) {
  check(a, rows);
  return Tensor(std::make_shared<Matvecs>(), {a, rows}, {rows.size(0), a.size(0)});
}

}  // namespace attn
