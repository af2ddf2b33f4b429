#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "tensor/moments.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

constexpr std::size_t levels = 4;

template <std::size_t width>
using Vector = std::array<float, width>;

template <std::size_t width>
void add(Vector<width>& to, const float* values) {
  for (std::size_t k = 0; k < width; ++k) {
    to[k] += values[k];
  }
}

/// Sums `count` consecutive vectors of `width` floats with PyTorch's cascade, which sums runs of 2^power vectors, then
/// runs of runs, over four levels, with `unrolled` vectors side by side.
template <std::size_t width, std::size_t unrolled>
Vector<width> cascade(const float* values, std::size_t count) {
  constexpr std::size_t step_width = width * unrolled;
  const std::size_t steps = count / unrolled;
  const auto log2 = steps <= 1 ? std::size_t{0} : static_cast<std::size_t>(std::bit_width(steps - 1));
  const std::size_t power = std::max<std::size_t>(4, log2 / levels);
  const std::size_t run = std::size_t{1} << power;

  std::array<Vector<step_width>, levels> sums{};
  std::size_t i = 0;
  while (i + run <= steps) {
    for (std::size_t j = 0; j < run; ++j, ++i) {
      add<step_width>(sums[0], values + i * step_width);
    }
    for (std::size_t level = 1; level < levels; ++level) {
      add<step_width>(sums[level], sums[level - 1].data());
      sums[level - 1] = {};
      if ((i & ((run - 1) << (level * power))) != 0) {
        break;
      }
    }
  }
  for (; i < steps; ++i) {
    add<step_width>(sums[0], values + i * step_width);
  }
  for (std::size_t level = 1; level < levels; ++level) {
    add<step_width>(sums[0], sums[level].data());
  }

  Vector<width> total{};
  std::copy_n(sums[0].begin(), width, total.begin());
  for (std::size_t j = steps * unrolled; j < count; ++j) {
    add<width>(total, values + j * width);
  }
  for (std::size_t k = 1; k < unrolled; ++k) {
    add<width>(total, sums[0].data() + k * width);
  }
  return total;
}

/// at::native's vectorized_outer_sum over one of several adjacent columns: four vectors of columns are summed together,
/// and the remaining columns with four rows at a time. With fewer columns than a vector has, scalar_outer_sum sums four
/// columns together.
float column_sum(std::span<const float> column, std::size_t place, std::size_t columns) {
  constexpr std::size_t lanes = 8;
  const std::size_t together = columns < lanes ? 4 : 4 * lanes;
  return place < columns / together * together ? cascade<1, 1>(column.data(), column.size())[0]
                                               : cascade<1, 4>(column.data(), column.size())[0];
}

class Sum final : public Operation {
 public:
  /// `dim` counts from the end.
  Sum(bool keepdim, std::int64_t dim) : keepdim_(keepdim), dim_(dim) {}

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
    Derivation derivation(Derivation::Rule::sum);
    const std::size_t axis = operands[0].shape().size() - static_cast<std::size_t>(-dim_);
    Shape at = index;
    if (!keepdim_) {
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    }
    for (at[axis] = 0; at[axis] < operands[0].size(dim_); ++at[axis]) {
      derivation.add({0, at});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".sum(dim=" + std::to_string(dim_) + (keepdim_ ? ", keepdim=True)" : ")");
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + ".sum(axis=" + std::to_string(dim_) + (keepdim_ ? ", keepdims=True)" : ")");
  }
  Facts facts() const override { return {.kind = Kind::sum, .axis = dim_}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const std::size_t gone = operands[0].shape().size() - static_cast<std::size_t>(-dim_);
    if (axis == gone && keepdim_) {
      return std::nullopt;
    }
    return Operation::axis_source(operands, axis < gone || keepdim_ ? axis : axis + 1);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SumBackward1"; }

 private:
  bool keepdim_;
  std::int64_t dim_;
};

}  // namespace

// Eight lanes for eight elements or more, the tail first.
float row_sum(std::span<const float> row) {
  constexpr std::size_t lanes = 8;
  constexpr std::size_t unrolled = 4;
  if (row.size() < lanes) {
    return cascade<1, unrolled>(row.data(), row.size())[0];
  }
  const std::size_t vectors = row.size() / lanes;
  const Vector<lanes> partial = cascade<lanes, unrolled>(row.data(), vectors);
  float total = 0;
  for (const float value : row.subspan(vectors * lanes)) {
    total += value;
  }
  for (const float value : partial) {
    total += value;
  }
  return total;
}

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
class Total final : public Operation {
 public:
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
  std::string words(const std::vector<std::string>& operands) const override { return grouped(operands[0]) + ".sum()"; }
  Facts facts() const override { return {.kind = Kind::sum}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>&, std::size_t) const override { return std::nullopt; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SumBackward0"; }
};

}  // namespace

Tensor total(const Tensor& x) { return Tensor(std::make_shared<Total>(), {x}, Shape{}); }

}  // namespace attn
