#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "tensor/moments.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// The larger number; NaN if one is NaN.
float larger(float a, float b) { return std::isnan(a) || a > b ? a : b; }

/// A number for each row, [..., n] -> [..., 1]: its largest number, its mean, its variance, or what nn.LayerNorm makes
/// of them.
class OfRows final : public Operation {
 public:
  using Text = std::function<std::string(const std::string& operand)>;
  struct Facets {
    Facts facts;
    Derivation::Rule rule;
    std::string autograd_name;
    Text pytorch;
    Text numpy;
    float (*compute)(std::span<const float> row, Cpu cpu, double value);
    Text words = pytorch;  ///< as people write it
  };

  explicit OfRows(Facets facets) : is_(std::move(facets)) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    Box box = part;
    box.back() = {0, operands[0].size(-1)};
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array x = operands[0].array().contiguous();
    Shape shape = x.shape;
    const auto width = static_cast<std::size_t>(std::exchange(shape.back(), 1));
    Block<float> result(std::move(shape));
    const float* row = x.floats();
    for (float& number : result) {
      number = is_.compute({row, width}, kernels_of(operands).cpu, is_.facts.value);
      row += width;
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(is_.rule);
    derivation.constant = is_.facts.value;
    Shape at = index;
    for (at.back() = 0; at.back() < operands[0].size(-1); ++at.back()) {
      derivation.add({0, at});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override { return is_.words(operands[0]); }
  std::string pytorch(const std::vector<std::string>& operands) const override { return is_.pytorch(operands[0]); }
  std::string numpy(const std::vector<std::string>& operands) const override { return is_.numpy(operands[0]); }
  Facts facts() const override { return is_.facts; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return is_.autograd_name; }

 private:
  Facets is_;
};

class Maximum final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}, {part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> result = operands[0].own_floats();
    const Array y = operands[1].array().contiguous();
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = larger(result[i], y.floats()[i]);
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::maximum, {0, index});
    derivation.add({1, index});
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.maximum(" + listed(operands) + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.maximum(" + listed(operands) + ")";
  }
  Facts facts() const override { return {.kind = Kind::largest}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "MaximumBackward0"; }
};

/// The operand with a text after it.
OfRows::Text then(const std::string& text) {
  return [text](const std::string& x) { return grouped(x) + text; };
}

/// A result of torch.native_layer_norm.
OfRows::Text native_layer_norm(const std::string& epsilon, int result) {
  return [epsilon, result](const std::string& x) {
    return "torch.native_layer_norm(" + x + ", " + grouped(x) + ".shape[-1:], None, None, " + epsilon + ")[" +
           std::to_string(result) + "]";
  };
}

const std::string mean_words = ".mean(dim=-1, keepdim=True)";
const std::string numpy_mean_words = ".mean(axis=-1, keepdims=True)";
const std::string variance_words = ".var(dim=-1, unbiased=False, keepdim=True)";
const std::string numpy_variance_words = ".var(axis=-1, keepdims=True)";

Tensor of_rows(const Tensor& x, OfRows::Facets facets) {
  if (x.dim() == 0) {
    throw ShapeError("a number for each row needs an axis");
  }
  Shape shape = x.shape();
  shape.back() = 1;
  return Tensor(std::make_shared<OfRows>(std::move(facets)), {x}, std::move(shape));
}

}  // namespace

/// NaN if one number is NaN.
Tensor amax(const Tensor& x) {
  return of_rows(x, {.facts = {.kind = Kind::largest},
                     .rule = Derivation::Rule::maximum,
                     .autograd_name = "AmaxBackward0",
                     .pytorch = then(".amax(dim=-1, keepdim=True)"),
                     .numpy = then(".max(axis=-1, keepdims=True)"),
                     .compute = [](std::span<const float> row, Cpu, double) {
                       return std::accumulate(row.begin() + 1, row.end(), row[0], larger);
                     }});
}

Tensor mean(const Tensor& x) {
  return of_rows(x, {.facts = {.kind = Kind::mean},
                     .rule = Derivation::Rule::mean,
                     .autograd_name = "MeanBackward1",
                     .pytorch = then(mean_words),
                     .numpy = then(numpy_mean_words),
                     .compute = [](std::span<const float> row, Cpu, double) {
                       return row_sum(row) / static_cast<float>(row.size());
                     }});
}

Tensor variance(const Tensor& x) {
  return of_rows(x, {.facts = {.kind = Kind::variance},
                     .rule = Derivation::Rule::variance,
                     .autograd_name = "VarBackward0",
                     .pytorch = then(variance_words),
                     .numpy = then(numpy_variance_words),
                     .compute = [](std::span<const float> row, Cpu, double) { return row_variance(row); }});
}

/// The mean that nn.LayerNorm subtracts. PyTorch gives it as a result of native_layer_norm.
Tensor layer_norm_mean(const Tensor& x) {
  return of_rows(
      x, {.facts = {.kind = Kind::mean},
          .rule = Derivation::Rule::mean,
          .autograd_name = "NativeLayerNormBackward0",
          .pytorch = native_layer_norm("0.0", 1),
          .numpy = then(numpy_mean_words),
          .compute = [](std::span<const float> row, Cpu cpu, double) { return layer_norm_moments(row, cpu).mean; },
          .words = then(mean_words)});
}

/// The factor with which nn.LayerNorm multiplies: 1 / sqrt(variance + eps).
Tensor layer_norm_factor(const Tensor& x, double epsilon) {
  const std::string eps = python_repr(epsilon);
  return of_rows(x, {.facts = {.kind = Kind::inverse_deviation, .value = epsilon},
                     .rule = Derivation::Rule::inverse_deviation,
                     .autograd_name = "NativeLayerNormBackward0",
                     .pytorch = native_layer_norm(eps, 2),
                     .numpy =
                         [eps](const std::string& operand) {
                           return "1 / np.sqrt(" + grouped(operand) + numpy_variance_words + " + np.float32(" + eps +
                                  "))";
                         },
                     .compute =
                         [](std::span<const float> row, Cpu cpu, double value) {
                           return 1 / std::sqrt(layer_norm_moments(row, cpu).variance + static_cast<float>(value));
                         },
                     .words =
                         [eps](const std::string& operand) {
                           return "torch.rsqrt(" + grouped(operand) + variance_words + " + " + eps + ")";
                         }});
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) {
    throw ShapeError("the shapes " + shape_text(a.shape()) + " and " + shape_text(b.shape()) + " of maximum differ");
  }
  return Tensor(std::make_shared<Maximum>(), {a, b}, a.shape());
}

}  // namespace attn
