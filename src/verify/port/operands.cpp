#include "verify/port/operands.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <variant>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

template <class T>
T number_of(double value) {
  return static_cast<T>(value);
}

/// 0 for nan, and the nearest that int64 has.
template <>
std::int64_t number_of(double value) {
  constexpr double end = 0x1p63;
  return std::isnan(value) ? 0
         : value >= end    ? std::numeric_limits<std::int64_t>::max()
         : value < -end    ? std::numeric_limits<std::int64_t>::min()
                           : static_cast<std::int64_t>(value);
}

/// The numbers of a part of a tensor of this shape.
template <class T>
Contents block(const Shape& shape, const Box& part, const std::vector<double>& values) {
  Block<T> block = Block<T>::unwritten(box_shape(part));
  const std::size_t width = shape.empty() ? 1 : static_cast<std::size_t>(part.back().size());
  const Shape begin = box_begin(part);
  const Shape rows(block.shape().begin(), block.shape().end() - (shape.empty() ? 0 : 1));
  for (std::size_t row = 0; row * width < block.size(); ++row) {
    Shape index = begin;
    const Shape at = index_at(static_cast<std::int64_t>(row), rows);
    std::transform(at.begin(), at.end(), begin.begin(), index.begin(), std::plus<>());
    const auto first = values.begin() + position_of(index, shape);
    std::transform(first, first + static_cast<std::ptrdiff_t>(width), block.begin() + row * width, number_of<T>);
  }
  return block;
}

Contents part_of(const Shape& shape, DType dtype, const Box& part, const std::vector<double>& values) {
  switch (dtype) {
    case DType::float32: return block<float>(shape, part, values);
    case DType::boolean: return block<bool>(shape, part, values);
    case DType::int64: break;
  }
  return block<std::int64_t>(shape, part, values);
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

Contents contents_of(const Shape& shape, DType dtype, const std::vector<double>& values) {
  return part_of(shape, dtype, whole_box(shape), values);
}

Tensor with_values(const Tensor& like, const SharedNumbers& values) {
  return leaf(
      like.shape(), like.dtype(), like.name(),
      [shape = like.shape(), dtype = like.dtype(), values](const Box& part) {
        return part_of(shape, dtype, part, values);
      },
      like.kernels());
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

void PortOperands::replace(const Tensor& tensor, const Laid& laid) {
  tensors_.insert_or_assign(tensor.id(), with_values(tensor, laid.values));
}

void PortOperands::put(const Tensor& tensor, const Tensor& is) { tensors_.insert_or_assign(tensor.id(), is); }

PortOperands PortOperands::sources() const {
  PortOperands result = *this;
  std::erase_if(result.tensors_, [this](const auto& own) { return following_.contains(own.first); });
  return result;
}

Tensor PortOperands::put_in(const Tensor& was, const Tensor& is, const Tensor& judged) const {
  const auto found = was.id() == judged.id() ? tensors_.end() : tensors_.find(was.id());
  return found == tensors_.end() ? is : found->second;
}

std::optional<Tensor> PortOperands::remade(const Tensor& tensor, const Tensor& judged,
                                           const Rewriter::Rule& rule) const {
  try {
    Rewriter rewriter([&](const Tensor& was, const Tensor& is) {
      const Tensor own = put_in(was, is, judged);
      return own.id() != is.id() || !rule || following_.contains(was.id()) ? own : rule(was, is);
    });
    return rewriter(tensor);
  } catch (const ShapeError&) {
    return std::nullopt;
  }
}

}  // namespace attn::verify
