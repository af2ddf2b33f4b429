#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

constexpr std::size_t unrolled = 4;
constexpr std::size_t levels = 4;

template <std::size_t width>
using Vector = std::array<float, width>;

template <std::size_t width>
void add(Vector<width>& to, const float* values) {
  for (std::size_t k = 0; k < width; ++k) {
    to[k] += values[k];
  }
}

/// Sums `count` vectors of `width` floats that follow each other: PyTorch's cascade, which sums runs of
/// 2^power vectors, then runs of runs, over four levels, with four vectors side by side.
template <std::size_t width>
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

/// at::native's cascade_sum over one contiguous row: eight lanes from eight elements on, the tail first.
float row_sum(std::span<const float> row) {
  constexpr std::size_t lanes = 8;
  if (row.size() < lanes) {
    return cascade<1>(row.data(), row.size())[0];
  }
  const std::size_t vectors = row.size() / lanes;
  const Vector<lanes> partial = cascade<lanes>(row.data(), vectors);
  float total = 0;
  for (const float value : row.subspan(vectors * lanes)) {
    total += value;
  }
  for (const float value : partial) {
    total += value;
  }
  return total;
}

class Sum final : public Operation {
 public:
  explicit Sum(bool keepdim) : keepdim_(keepdim) {}

  Shape result(Shape shape) const {
    shape.pop_back();
    if (keepdim_) {
      shape.push_back(1);
    }
    return shape;
  }
  Array compute(const std::vector<Tensor>& operands) const override {
    const Array x = operands[0].array().contiguous();
    const auto width = static_cast<std::size_t>(x.shape.back());
    Block<float> sums(result(x.shape));
    for (std::size_t row = 0; row < sums.size(); ++row) {
      sums.data()[row] = row_sum({x.floats() + row * width, width});
    }
    return Array(std::move(sums));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::sum);
    Shape at(index.begin(), index.end() - (keepdim_ ? 1 : 0));
    at.push_back(0);
    for (; at.back() < operands[0].size(-1); ++at.back()) {
      derivation.add({0, at});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + (keepdim_ ? ".sum(dim=-1, keepdim=True)" : ".sum(dim=-1)");
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + (keepdim_ ? ".sum(axis=-1, keepdims=True)" : ".sum(axis=-1)");
  }
  Facts facts() const override { return {.kind = Kind::sum}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SumBackward1"; }

 private:
  bool keepdim_;
};

}  // namespace

Tensor sum(const Tensor& x, bool keepdim) {
  if (x.dim() == 0) {
    throw ShapeError("sum needs an axis");
  }
  auto operation = std::make_shared<Sum>(keepdim);
  Shape shape = operation->result(x.shape());
  return Tensor(std::move(operation), {x}, std::move(shape));
}

}  // namespace attn
