#include "verify/port/sense.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

/// Counts the cells in which the mask agrees with the port's scores and weights.
std::int64_t agreement(const Laid& mask, std::span<const Item> items, std::span<const Step> steps, Right& right) {
  std::int64_t count = 0;
  for (const Item& item : items) {
    for (const std::size_t candidate : item.candidates) {
      const Tensor& step = *steps[candidate].tensor;
      const bool is_weights = step.kind() == Kind::softmax;
      const auto is_hidden = [&](double value) { return is_weights ? value == 0 : value < -1e3; };
      const bool is_masked = std::ranges::any_of(right.values(step), is_hidden);
      if (is_masked && std::ranges::any_of(item.theirs->values, is_hidden)) {
        const std::optional<Laid> laid = right.nearest(*item.theirs, step);
        for (std::size_t i = 0; laid && i < laid->values.size(); ++i) {
          count += is_hidden(laid->values[i]) == (mask.values[i % mask.values.size()] != 0) ? 1 : 0;
        }
        break;
      }
    }
  }
  return count;
}

/// Counts the cells of tensors without a step that follow from this mask.
std::int64_t following(const Laid& mask, const Tensor& tensor, std::span<const Item> items, std::span<const Step> steps,
                       Right& right, PortOperands operands) {
  operands.replace(tensor, mask);
  const auto follows = [&](const Item& item, std::size_t candidate) {
    const Tensor& step = *steps[candidate].tensor;
    const auto remade = operands.remade(step);
    return remade && remade->id() != step.id() && right.holding(*item.theirs, *remade);
  };
  std::int64_t count = 0;
  for (const Item& item : items) {
    const bool is_it = !item.matched && std::ranges::any_of(item.candidates, [&](std::size_t candidate) {
      return follows(item, candidate);
    });
    count += is_it ? element_count(item.theirs->shape) : 0;
  }
  return count;
}

}  // namespace

void choose_sense(Matched& mask, std::span<const Item> items, std::span<const Step> steps, Right& right,
                  PortOperands& operands) {
  const Tensor& tensor = *mask.step->tensor;
  if (std::ranges::any_of(mask.theirs->values, [](double value) { return value != 0 && value != 1; })) {
    return;
  }
  for (Laid& other : right.layouts(*mask.theirs, tensor)) {
    if (other.values == mask.laid->values) {
      continue;
    }
    const auto agreeing = [&](const Laid& own) {
      return agreement(own, items, steps, right) + following(own, tensor, items, steps, right, operands);
    };
    const std::int64_t here = agreeing(*mask.laid);
    const std::int64_t there = agreeing(other);
    if (here < there) {
      std::swap(*mask.laid, other);
      operands.replace(tensor, *mask.laid);
    }
    mask.otherwise = here == there ? std::optional(std::move(other)) : std::nullopt;
    return;
  }
}

}  // namespace attn::verify
