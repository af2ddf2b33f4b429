#include "verify/judge/sense.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::port {
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
      right.unread().load(*item.theirs);
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

}  // namespace

void choose_sense(Matched& mask, std::span<const Item> items, std::span<const Step> steps, Right& right,
                  Operands& operands) {
  const Tensor& tensor = *mask.step->tensor;
  if (std::ranges::any_of(mask.theirs->values, [](double value) { return value != 0 && value != 1; })) {
    return;
  }
  for (Laid& other : right.layouts(*mask.theirs, tensor)) {
    if (other.values == mask.laid->values) {
      continue;
    }
    const std::int64_t here = agreement(*mask.laid, items, steps, right);
    const std::int64_t there = agreement(other, items, steps, right);
    if (here < there) {
      std::swap(*mask.laid, other);
      operands.replace(tensor, *mask.laid);
    }
    mask.otherwise = here == there ? std::optional(std::move(other)) : std::nullopt;
    return;
  }
}

}  // namespace attn::port
