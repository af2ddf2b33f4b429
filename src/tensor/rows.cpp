#include <numeric>
#include <utility>

#include "tensor/reductions.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// A number for each row, [..., n] -> [..., 1]: its largest number, its mean, its variance, or what nn.LayerNorm makes
/// of them.
class OfRows final : public Worded {
 public:
  using Number = float (*)(std::span<const float> row, Cpu cpu, double value);

  OfRows(Derivation::Rule rule, Number number, Wording is) : Worded(std::move(is)), rule_(rule), number_(number) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    Box box = part;
    box.back() = {0, operands[0].size(-1)};
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const Array x = operands[0].array().contiguous();
    const auto width = static_cast<std::size_t>(x.shape.back());
    Block<float> result(box_shape(part));
    const float* row = x.floats();
    for (float& number : result) {
      number = number_({row, width}, kernels_of(operands).cpu, facts().value);
      row += width;
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation = Derivation::along(rule_, index, index.size() - 1, operands[0].size(-1));
    derivation.constant = facts().value;
    return derivation;
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }

 private:
  Derivation::Rule rule_;
  Number number_;
};

/// A result of torch.native_layer_norm.
std::string native_layer_norm(const std::string& epsilon, int result) {
  return "torch.native_layer_norm({a}, {(a)}.shape[-1:], None, None, " + epsilon + ")[" + std::to_string(result) + "]";
}

const std::string mean_words = "{(a)}.mean(dim=-1, keepdim=True)";
const std::string numpy_mean_words = "{(a)}.mean(axis=-1, keepdims=True)";
const std::string variance_words = "{(a)}.var(dim=-1, unbiased=False, keepdim=True)";
const std::string numpy_variance_words = "{(a)}.var(axis=-1, keepdims=True)";

Tensor of_rows(const Tensor& x, Derivation::Rule rule, OfRows::Number number, Wording is) {
  if (x.dim() == 0) {
    throw ShapeError("a number for each row needs an axis");
  }
  Shape shape = x.shape();
  shape.back() = 1;
  return Tensor(std::make_shared<OfRows>(rule, number, std::move(is)), {x}, std::move(shape));
}

}  // namespace

/// NaN if one number is NaN.
Tensor amax(const Tensor& x) {
  const auto number = [](std::span<const float> row, Cpu, double) {
    return std::accumulate(row.begin() + 1, row.end(), row[0], larger);
  };
  return of_rows(x, Derivation::Rule::maximum, number,
                 {{.kind = Kind::largest},
                  "AmaxBackward0",
                  "{(a)}.amax(dim=-1, keepdim=True)",
                  "{(a)}.max(axis=-1, keepdims=True)"});
}

Tensor mean(const Tensor& x) {
  const auto number = [](std::span<const float> row, Cpu, double) {
    return row_sum(row) / static_cast<float>(row.size());
  };
  return of_rows(x, Derivation::Rule::mean, number,
                 {{.kind = Kind::mean}, "MeanBackward1", mean_words, numpy_mean_words});
}

Tensor variance(const Tensor& x) {
  const auto number = [](std::span<const float> row, Cpu, double) { return row_variance(row); };
  return of_rows(x, Derivation::Rule::variance, number,
                 {{.kind = Kind::variance}, "VarBackward0", variance_words, numpy_variance_words});
}

/// The mean that nn.LayerNorm subtracts. PyTorch gives it as a result of native_layer_norm.
Tensor layer_norm_mean(const Tensor& x) {
  const auto number = [](std::span<const float> row, Cpu cpu, double) { return layer_norm_moments(row, cpu).mean; };
  return of_rows(
      x, Derivation::Rule::mean, number,
      {{.kind = Kind::mean}, "NativeLayerNormBackward0", mean_words, numpy_mean_words, native_layer_norm("0.0", 1)});
}

/// The factor with which nn.LayerNorm multiplies: 1 / sqrt(variance + eps).
Tensor layer_norm_factor(const Tensor& x, double epsilon) {
  const std::string eps = python_repr(epsilon);
  const auto number = [](std::span<const float> row, Cpu cpu, double value) {
    return 1 / std::sqrt(layer_norm_moments(row, cpu).variance + static_cast<float>(value));
  };
  return of_rows(x, Derivation::Rule::inverse_deviation, number,
                 {{.kind = Kind::inverse_deviation, .value = epsilon},
                  "NativeLayerNormBackward0",
                  "torch.rsqrt(" + variance_words + " + " + eps + ")",
                  "1 / np.sqrt(" + numpy_variance_words + " + np.float32(" + eps + "))",
                  native_layer_norm(eps, 2)});
}

namespace {

class Sum final : public Worded {
 public:
  /// `dim` counts from the end.
  Sum(bool keepdim, std::int64_t dim)
      : Worded({{.kind = Kind::sum, .axis = dim},
                "SumBackward1",
                "{(a)}.sum(dim=" + std::to_string(dim) + (keepdim ? ", keepdim=True)" : ")"),
                "{(a)}.sum(axis=" + std::to_string(dim) + (keepdim ? ", keepdims=True)" : ")")}),
        keepdim_(keepdim),
        dim_(dim) {}

  Shape result(Shape shape) const {
    const auto axis = shape.end() + dim_;
    if (keepdim_) {
      *axis = 1;
    } else {
      shape.erase(axis);
    }
    return shape;
  }
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    if (dim_ != -1) {
      return std::nullopt;  // the columns summed together depend on the number of columns
    }
    Box box(part.begin(), part.end() - (keepdim_ ? 1 : 0));
    box.push_back({0, operands[0].size(-1)});
    return std::vector<Need>{{std::move(box)}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array x = operands[0].array().contiguous();
    const std::size_t axis = x.shape.size() - static_cast<std::size_t>(-dim_);
    const auto count = static_cast<std::size_t>(x.shape[axis]);
    const auto stride = static_cast<std::size_t>(row_major_strides(x.shape)[axis]);
    Block<float> sums(result(x.shape));
    std::vector<float> column(count);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const float* first = x.floats() + i / stride * stride * count + i % stride;
      if (stride == 1) {
        sums.data()[i] = row_sum({first, count});
        continue;
      }
      for (std::size_t k = 0; k < count; ++k) {
        column[k] = first[k * stride];
      }
      sums.data()[i] = column_sum(column, i % stride, stride);
    }
    return Array(std::move(sums));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    const std::size_t axis = operands[0].shape().size() - static_cast<std::size_t>(-dim_);
    Shape at = index;
    if (!keepdim_) {
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    }
    return Derivation::along(Derivation::Rule::sum, std::move(at), axis, operands[0].size(dim_));
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const std::size_t gone = operands[0].shape().size() - static_cast<std::size_t>(-dim_);
    if (axis == gone && keepdim_) {
      return std::nullopt;
    }
    return Operation::axis_source(operands, axis < gone || keepdim_ ? axis : axis + 1);
  }

 private:
  bool keepdim_;
  std::int64_t dim_;
};

}  // namespace

Tensor sum(const Tensor& x, bool keepdim, std::int64_t dim) {
  if (dim >= 0 || -dim > x.dim()) {
    throw ShapeError("sum needs an axis, counted from the end");
  }
  auto operation = std::make_shared<Sum>(keepdim, dim);
  Shape shape = operation->result(x.shape());
  return Tensor(std::move(operation), {x}, std::move(shape));
}

namespace {

/// The sum of all elements: one row for PyTorch. (Its threads would each sum a part of 32,768 elements and more.)
class Total final : public Worded {
 public:
  Total() : Worded({{.kind = Kind::sum}, "SumBackward0", "{(a)}.sum()"}) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array x = operands[0].array().contiguous();
    Block<float> total(Shape{});
    total.data()[0] = row_sum({x.floats(), static_cast<std::size_t>(x.count())});
    return Array(std::move(total));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape&) const override {
    Derivation derivation(Derivation::Rule::sum);
    const Shape& shape = operands[0].shape();
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      derivation.add({0, index_at(i, shape)});
    }
    return derivation;
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>&, std::size_t) const override { return std::nullopt; }
};

}  // namespace

Tensor total(const Tensor& x) { return Tensor(std::make_shared<Total>(), {x}, Shape{}); }

}  // namespace attn
