#include "verify/port/operands.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

/// These numbers as a type's; the nearest that int64 has, and 0 for nan.
template <class T>
Contents block(const Shape& shape, const std::vector<double>& values) {
  Block<T> block = Block<T>::unwritten(shape);
  std::ranges::transform(values, block.begin(), [](double value) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      constexpr double end = 0x1.fffffffffffffp62;
      return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -0x1p63, end));
    } else {
      return static_cast<T>(value);
    }
  });
  return block;
}

Contents contents_of(const Shape& shape, DType dtype, const std::vector<double>& values) {
  switch (dtype) {
    case DType::float32: return block<float>(shape, values);
    case DType::boolean: return block<bool>(shape, values);
    case DType::int64: break;
  }
  return block<std::int64_t>(shape, values);
}

/// A leaf with these numbers and the tensor's shape and dtype.
Tensor with_values(const Tensor& like, const SharedNumbers& values) {
  return leaf(
      like.shape(), like.dtype(), like.name(),
      [shape = like.shape(), dtype = like.dtype(), values] { return contents_of(shape, dtype, values); },
      like.kernels());
}

}  // namespace

bool is_made_of(const Tensor& made, const Tensor& other) {
  const auto is_it = [&](const auto& again, const Tensor& tensor, int operations) -> bool {
    return operations > 0 && std::ranges::any_of(tensor.operands(), [&](const Tensor& operand) {
             return operand.id() == other.id() || again(again, operand, operations - 1);
           });
  };
  constexpr int few = 4;
  return is_it(is_it, made, few);
}

void PortOperands::add(const Tensor& tensor, const Laid& laid) {
  const auto [own, is_new] = tensors_.emplace(tensor.id(), with_values(tensor, laid.values));
  if (!is_new && !laid.cells.empty()) {
    std::vector<double> values = values_of(own->second);
    for (const std::int64_t cell : laid.cells) {
      values[static_cast<std::size_t>(cell)] = laid.values[static_cast<std::size_t>(cell)];
    }
    own->second = with_values(tensor, values);
  }
}

void PortOperands::put(const Tensor& tensor, const Tensor& is) { tensors_.insert_or_assign(tensor.id(), is); }

std::optional<Tensor> PortOperands::remade(const Tensor& tensor, const Tensor& judged,
                                           const Rewriter::Rule& rule) const {
  try {
    Rewriter rewriter([&](const Tensor& was, const Tensor& is) {
      const auto own = was.id() == judged.id() ? tensors_.end() : tensors_.find(was.id());
      return own != tensors_.end() ? own->second : rule ? rule(was, is) : is;
    });
    return rewriter(tensor);
  } catch (const ShapeError&) {
    return std::nullopt;
  }
}

}  // namespace attn::verify
