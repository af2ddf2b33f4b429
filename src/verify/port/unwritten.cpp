#include "verify/port/unwritten.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

bool are_weights(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double number) { return number >= 0; });
}

/// The port's weights of these scores, laid out as they are; none if it has none. Weights are not below 0.
std::optional<Laid> weights_of(const Item& item, const Laid& scores, const Tensor& step, std::span<const Item> items,
                               std::span<const Step> steps, Right& right) {
  for (const Item& other : items) {
    for (const std::size_t candidate : &other == &item ? std::vector<std::size_t>() : other.candidates) {
      const Tensor& tensor = *steps[candidate].tensor;
      const bool is_of_these = tensor.kind() == Kind::softmax && is_made_of(tensor, step);
      std::optional<Laid> laid = is_of_these ? right.nearest(*other.theirs, tensor) : std::nullopt;
      if (laid && laid->cells == scores.cells && are_weights(laid->values)) {
        return laid;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Observed> unwritten_scores(const Item& item, const Tensor& step, std::span<const Item> items,
                                         std::span<const Step> steps, Right& right) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double>& given = item.theirs->values;
  if (std::ranges::find(given, 0) == given.end() || are_weights(given)) {
    return std::nullopt;
  }
  const bool has_mask = std::ranges::find(right.values(step), -infinity) != right.values(step).end();
  const std::optional<Laid> laid = has_mask ? right.nearest(*item.theirs, step) : std::nullopt;
  const std::optional<Laid> weights = laid ? weights_of(item, *laid, step, items, steps, right) : std::nullopt;
  if (!weights) {
    return std::nullopt;
  }
  Observed read = *item.theirs;
  if (laid->cells.empty()) {
    read.shape = step.shape();
    read.values = laid->values;
  }
  std::vector<double> values = read.values;
  bool is_any = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t cell = laid->cells.empty() ? i : static_cast<std::size_t>(laid->cells[i]);
    const bool is_unwritten = values[i] == 0 && weights->values[cell] == 0;
    if (values[i] != laid->values[cell]) {
      return std::nullopt;
    }
    values[i] = is_unwritten ? -infinity : values[i];
    is_any = is_any || is_unwritten;
  }
  read.values = std::move(values);
  return is_any ? std::optional(std::move(read)) : std::nullopt;
}

}  // namespace attn::verify
