#include "verify/judge/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "tensor/operations.hpp"

namespace attn::port {
namespace {

constexpr float unit = 0x1p-24F;       ///< float32's
constexpr float exp_units = 8 * unit;  ///< programs' exponentials are this near

std::vector<float> floats_of(const Tensor& tensor) {
  return std::visit([](const auto& block) { return std::vector<float>(block.begin(), block.end()); },
                    *tensor.array().contents());
}

Tensor leaf_of(const Shape& shape, std::vector<float> values, const Kernels& kernels) {
  Block<float> block(shape);
  std::ranges::copy(values, block.begin());
  return leaf(
      shape, DType::float32, "error", [contents = Contents(std::move(block))] { return contents; }, kernels);
}

Tensor zeros_like(const Tensor& tensor) {
  return leaf_of(tensor.shape(), std::vector<float>(static_cast<std::size_t>(element_count(tensor.shape()))),
                 tensor.kernels());
}

/// A leaf of f(cell) for each of a tensor's numbers.
template <class Function>
Tensor mapped(const Tensor& tensor, Function f) {
  std::vector<float> values = floats_of(tensor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = f(values[i], i);
  }
  return leaf_of(tensor.shape(), std::move(values), tensor.kernels());
}

Tensor absolute(const Tensor& tensor) {
  return mapped(tensor, [](float value, std::size_t) { return std::isfinite(value) ? std::abs(value) : 0.0F; });
}

/// How many terms one of its cells adds up.
std::int64_t terms_of(const Tensor& tensor) {
  const Tensor& first = tensor.operands()[0];
  switch (tensor.kind()) {
    case Kind::scaled:
    case Kind::multiplied:
    case Kind::dropout: return 1;
    case Kind::weighted_sum: return first.size(0);
    default: return first.dim() == 0 ? 1 : first.size(-1) + 1;
  }
}

/// Of softmax and exp: the greatest error along a row multiplies each number by at most exp of it.
Tensor of_exponentials(const Tensor& tensor, const Tensor& error, bool is_softmax) {
  const std::vector<float> errors = floats_of(error);
  const std::size_t width = is_softmax ? static_cast<std::size_t>(tensor.size(-1)) : 1;
  const std::vector<float> operands = floats_of(tensor.operands()[0]);
  return mapped(tensor, [&](float value, std::size_t i) {
    const std::size_t row = i / width * width;
    float most = 0;
    float size = 0;
    for (std::size_t j = row; j < row + width; ++j) {
      most = std::max(most, errors[j]);
      size = std::isfinite(operands[j]) ? std::max(size, std::abs(operands[j])) : size;
    }
    const float in_exponent = 2 * (most + size * unit);
    return std::abs(value) *
           (std::expm1(std::min(in_exponent, 50.0F)) + exp_units + static_cast<float>(2 * width + 4) * unit);
  });
}

}  // namespace

std::vector<float> Bounds::of(const Tensor& tensor) { return floats_of(error_of(tensor)); }

Tensor Bounds::error_of(const Tensor& tensor) {
  if (const auto known = errors_.find(tensor.id()); known != errors_.end()) {
    return known->second;
  }
  const Tensor error =
      mapped(made(tensor), [](float value, std::size_t) { return std::isfinite(value) ? std::abs(value) : 0.0F; });
  kept_.push_back(tensor);
  errors_.emplace(tensor.id(), error);
  return error;
}

Tensor Bounds::made(const Tensor& tensor) {
  const std::vector<Tensor>& operands = tensor.operands();
  if (operands.empty() || tensor.dtype() != DType::float32) {
    return zeros_like(tensor);
  }
  switch (tensor.kind()) {
    case Kind::parameter: return zeros_like(tensor);
    case Kind::softmax: return of_exponentials(tensor, error_of(operands[0]), true);
    case Kind::exp: return of_exponentials(tensor, error_of(operands[0]), false);
    case Kind::index:
    case Kind::slice:
    case Kind::stack:
    case Kind::cat:
    case Kind::transpose:
    case Kind::view:
    case Kind::contiguous: {
      std::vector<Tensor> errors;
      std::ranges::transform(operands, std::back_inserter(errors),
                             [this](const Tensor& operand) { return error_of(operand); });
      return tensor.with_operands(std::move(errors));
    }
    case Kind::masked: return tensor.with_operands({error_of(operands[0]), operands[1]});
    case Kind::divided: {  // relative errors add up
      const Tensor sum = mapped(operands[1], [](float value, std::size_t) { return value; });
      const std::vector<float> of_sum = floats_of(error_of(operands[1]));
      const Tensor relative = mapped(
          sum, [&](float value, std::size_t i) { return value == 0 ? 0 : of_sum[i] / std::abs(value) + 2 * unit; });
      const Tensor by_first = tensor.with_operands({error_of(operands[0]), absolute(operands[1])});
      const std::vector<float> first = floats_of(by_first);
      const std::vector<float> second = floats_of(multiply(absolute(tensor), relative));
      return mapped(by_first, [&](float, std::size_t i) { return first[i] + second[i]; });
    }
    default: break;
  }
  // Sums of products: linear in each operand that has errors.
  std::vector<Tensor> sizes;
  for (const Tensor& operand : operands) {
    sizes.push_back(operand.dtype() == DType::float32 ? absolute(operand) : operand);
  }
  std::vector<float> total = floats_of(tensor.with_operands(sizes));
  const auto n = static_cast<float>(terms_of(tensor));
  for (float& value : total) {
    value *= 2 * (n * unit / (1 - n * unit)) + 2 * unit;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].dtype() != DType::float32) {
      continue;
    }
    std::vector<Tensor> with_error = sizes;
    with_error[i] = error_of(operands[i]);
    for (std::size_t j = 2; j < with_error.size(); ++j) {
      with_error[j] = j == i ? with_error[j] : zeros_like(with_error[j]);  // a bias is added once
    }
    if (i == 2) {
      with_error[0] = zeros_like(with_error[0]);
    }
    const std::vector<float> more = floats_of(tensor.with_operands(with_error));
    std::ranges::transform(total, more, total.begin(), std::plus<>());
  }
  return leaf_of(tensor.shape(), std::move(total), tensor.kernels());
}

}  // namespace attn::port
