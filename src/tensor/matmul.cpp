#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/products.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Matmul final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    const Tensor& a = operands[0];
    const Tensor& b = operands[1];
    const bool is_batch = b.dim() > 2;
    if (a.dim() < 2 || (!is_batch && element_count(a.shape()) != a.size(-2) * a.size(-1))) {
      return std::nullopt;
    }
    const Range columns = {0, b.size(-1)};
    Range& rows = part[part.size() - 2];
    rows = product_rows(rows, {a.size(-2), a.size(-1), columns.end}, kernels_of(operands).blas);
    part.back() = columns;
    Box left = part;
    left.back() = {0, a.size(-1)};
    Box right = is_batch ? part : Box(2);
    right[right.size() - 2] = {0, a.size(-1)};
    right.back() = columns;
    return std::vector<Need>{{std::move(left)}, {std::move(right), true}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    return product(operands[0].array(), operands[1].array(), kernels_of(operands).blas);
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::products);
    Shape left = index;
    Shape right = operands[1].dim() == 2 ? Shape{0, index.back()} : index;
    for (std::int64_t k = 0; k < operands[0].size(-1); ++k) {
      left.back() = k;
      right[right.size() - 2] = k;
      derivation.add({0, left}, Element{1, right});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " @ " + grouped(operands[1]);
  }
  Facts facts() const override { return {.kind = Kind::matmul}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const Tensor& b = operands[1];
    const bool is_last = axis + 1 == operands[0].shape().size();
    return is_last ? AxisSource{b, b.shape().size() - 1} : AxisSource{operands[0], axis};
  }
  std::string autograd_name(const std::vector<Tensor>& operands) const override {
    switch (operands[0].dim()) {
      case 1: return "SqueezeBackward4";
      case 2: return "MmBackward0";
      default: return "UnsafeViewBackward0";
    }
  }
};

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  const auto batch_of = [](const Tensor& x) { return Shape(x.shape().begin(), x.shape().end() - 2); };
  const bool fits = a.dim() >= 1 && b.dim() >= 2 && a.size(-1) == b.size(-2) &&
                    (b.dim() == 2 || (a.dim() == b.dim() && batch_of(a) == batch_of(b)));
  if (!fits) {
    throw ShapeError("matmul: the last axis of " + shape_text(a.shape()) + " does not meet the rows of " +
                     shape_text(b.shape()));
  }
  Shape shape = a.shape();
  shape.back() = b.size(-1);
  return Tensor(std::make_shared<Matmul>(), {a, b}, std::move(shape));
}

}  // namespace attn
