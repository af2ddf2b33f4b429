#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "tensor/exp.hpp"
#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"

namespace attn {
namespace {

/// PyTorch's vec_softmax: as many adjacent columns as the kernels have lanes go down the axis together; the remaining
/// ones go one by one.
class SoftmaxOver final : public Operation {
 public:
  explicit SoftmaxOver(std::size_t axis) : axis_(axis) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> weights = operands[0].own_floats();
    const Shape& shape = operands[0].shape();
    const auto inner = static_cast<std::size_t>(row_major_strides(shape)[axis_]);
    const auto size = static_cast<std::size_t>(shape[axis_]);
    for (std::size_t start = 0; start < weights.size(); start += size * inner) {
      normalise({weights.data() + start, size * inner}, inner, kernels_of(operands).cpu);
    }
    return Array(std::move(weights));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::softmax);
    derivation.position = static_cast<std::size_t>(index[axis_]);
    Shape at = index;
    for (at[axis_] = 0; at[axis_] < operands[0].shape()[axis_]; ++at[axis_]) {
      derivation.add({0, at});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.softmax(" + operands[0] + ", dim=" + std::to_string(axis_) + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "softmax(" + operands[0] + ", axis=" + std::to_string(axis_) + ")";
  }
  Facts facts() const override { return {.kind = Kind::softmax, .axis = static_cast<std::int64_t>(axis_)}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SoftmaxBackward0"; }

 private:
  /// x [size, inner]. Works in passes: maximum, difference, exponential, sum, quotient.
  static void normalise(std::span<float> x, std::size_t inner, Cpu cpu) {
    const std::size_t in_lanes = inner - inner % softmax_lanes(cpu);
    std::vector<float> largest(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(inner));
    for (std::size_t i = inner; i < x.size(); ++i) {
      largest[i % inner] = std::max(largest[i % inner], x[i]);
    }
    std::vector<float> sums(inner);
    for (std::size_t start = 0; start < x.size(); start += inner) {
      const std::span<float> row = x.subspan(start, inner);
      std::transform(row.begin(), row.end(), largest.begin(), row.begin(), std::minus<>());
      softmax_exp(row.first(in_lanes), cpu);
      softmax_exp(row.subspan(in_lanes), Cpu::standard);
      std::transform(sums.begin(), sums.end(), row.begin(), sums.begin(), std::plus<>());
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] /= sums[i % inner];
    }
  }

  std::size_t axis_;
};

}  // namespace

Tensor softmax_over(const Tensor& x, std::int64_t axis) {
  if (axis < 0 || axis >= x.dim() - 1) {
    throw ShapeError("softmax over dim " + std::to_string(axis) + " needs an axis before the last, got shape " +
                     shape_text(x.shape()));
  }
  return Tensor(std::make_shared<SoftmaxOver>(static_cast<std::size_t>(axis)), {x}, x.shape());
}

}  // namespace attn
