#include "verify/judge/unwritten.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tensor/operations.hpp"

namespace attn::port {
namespace {

bool is_hidden(double score) { return std::isinf(score) && score < 0; }

/// Returns true if all weights are 0 where the scores are hidden, and some elsewhere are above 0.
bool are_hidden(const Laid& weights, const std::vector<double>& scores) {
  bool has_visible = false;
  const std::size_t count = weights.cells.empty() ? scores.size() : weights.cells.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t cell = weights.cells.empty() ? i : static_cast<std::size_t>(weights.cells[i]);
    if (weights.values[cell] < 0 || (is_hidden(scores[cell]) && weights.values[cell] != 0)) {
      return false;
    }
    has_visible = has_visible || weights.values[cell] > 0;
  }
  return has_visible;
}

}  // namespace

std::optional<dump::Dumped> unwritten_scores(const Item& item, const Tensor& step, std::span<const Item> items,
                                             std::span<const Step> steps, Right& right) {
  const SharedNumbers scores = right.values(step);
  const std::optional<Laid> laid =
      std::ranges::any_of(scores, is_hidden) ? right.nearest(*item.theirs, step) : std::nullopt;
  if (!laid) {
    return std::nullopt;
  }
  dump::Dumped read = *item.theirs;
  if (laid->cells.empty()) {
    read.shape = step.shape();
    read.values = laid->values;
  }
  for (std::size_t i = 0; i < read.values.size(); ++i) {
    const std::size_t cell = laid->cells.empty() ? i : static_cast<std::size_t>(laid->cells[i]);
    if (read.values[i] != laid->values[cell] || (is_hidden(scores[cell]) && read.values[i] != 0)) {
      return std::nullopt;
    }
    read.values[i] = is_hidden(scores[cell]) ? scores[cell] : read.values[i];
  }
  const bool is_it = std::ranges::any_of(items, [&](const Item& other) {
    return &other != &item && std::ranges::any_of(other.candidates, [&](std::size_t candidate) {
      const Tensor& weights = *steps[candidate].tensor;
      const bool is_of_these = weights.kind() == Kind::softmax && is_made_of(weights, step);
      const std::optional<Laid> own = is_of_these ? right.nearest(*other.theirs, weights) : std::nullopt;
      return own && own->cells == laid->cells && are_hidden(*own, scores);
    });
  });
  return is_it ? std::optional(std::move(read)) : std::nullopt;
}

}  // namespace attn::port
