#include <algorithm>
#include <utility>

#include "tensor/blas.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

class Matmul final : public Worded {
 public:
  Matmul() : Worded({{.kind = Kind::matmul}, "", "{(a)} @ {(b)}"}) {}

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

namespace {

/// at::linear of PyTorch 2.x: with a bias, one product of all rows at once, else at::matmul. (1.13 adds the bias of a
/// 1-D input afterwards, which gives other bits where OpenBLAS splits the sums, from about d_in 300 on.)
class Linear final : public Worded {
 public:
  Linear(const std::string& module, bool has_bias)
      : Worded({{.kind = Kind::linear},
                "",
                module + "({a})",
                {},
                has_bias ? "nn.functional.linear({a}, {b}, {c})" : "nn.functional.linear({a}, {b})"}) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    const Tensor& x = operands[0];
    const std::int64_t k = x.size(-1);
    if (x.dim() < 2 || element_count(x.shape()) != x.size(-2) * k) {
      return std::nullopt;  // the rows of several matrices form one product
    }
    Range& rows = part[part.size() - 2];
    rows = product_rows(rows, {x.size(-2), k, operands[1].size(0)}, kernels_of(operands).blas);
    part.back() = {0, operands[1].size(0)};
    Box box = part;
    box.back() = {0, k};
    std::vector<Need> each = {{std::move(box)}};
    for (std::size_t i = 1; i < operands.size(); ++i) {
      each.push_back({whole_box(operands[i].shape()), true});
    }
    return each;
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array& x = operands[0].array();
    const Array& weight = operands[1].array();
    const Blas blas = kernels_of(operands).blas;
    if (has_bias(operands)) {
      const std::int64_t k = x.shape.back();
      const Array rows = reshape(x, {x.count() / k, k});
      Shape shape = x.shape;
      shape.back() = weight.shape[0];
      return reshape(product_plus_bias(rows, weight, operands[2].array(), blas), shape);
    }
    const Array weight_t(weight, {weight.shape[1], weight.shape[0]}, {weight.strides[1], weight.strides[0]},
                         weight.offset);
    return product(x, weight_t, blas);
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::products);
    Shape at = index;
    for (std::int64_t k = 0; k < operands[1].size(1); ++k) {
      at.back() = k;
      derivation.add({0, at}, Element{1, {index.back(), k}});
    }
    if (has_bias(operands)) {
      derivation.bias = Element{2, {index.back()}};
    }
    return derivation;
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    constexpr std::string_view transposed = ".T";
    std::string weight = grouped(operands[1]);
    weight = weight.ends_with(transposed) ? weight.substr(0, weight.size() - transposed.size()) : weight + ".T";
    return grouped(operands[0]) + " @ " + weight + (has_bias(operands) ? " + " + operands[2] : "");
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>& operands) const override {
    switch (operands[0].dim()) {
      case 1: return has_bias(operands) ? "ViewBackward0" : "SqueezeBackward4";
      case 2: return has_bias(operands) ? "AddmmBackward0" : "MmBackward0";
      default: return has_bias(operands) ? "ViewBackward0" : "UnsafeViewBackward0";
    }
  }

 private:
  template <class Operands>
  static bool has_bias(const Operands& operands) {
    return operands.size() == 3;
  }
};

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, const std::string& module) {
  if (x.dim() < 1 || weight.dim() != 2 || x.size(-1) != weight.size(1) ||
      (bias && bias->shape() != Shape{weight.size(0)})) {
    throw ShapeError("linear: the last axis of " + shape_text(x.shape()) + " does not meet weight " +
                     shape_text(weight.shape()) + (bias ? " and bias " + shape_text(bias->shape()) : ""));
  }
  Shape shape = x.shape();
  shape.back() = weight.size(0);
  std::vector<Tensor> operands = {x, weight};
  if (bias) {
    operands.push_back(*bias);
  }
  return Tensor(std::make_shared<Linear>(module, bias.has_value()), std::move(operands), std::move(shape));
}

}  // namespace attn
