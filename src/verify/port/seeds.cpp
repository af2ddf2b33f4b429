#include "verify/port/seeds.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <unordered_set>
#include <vector>

#include "tensor/operations.hpp"
#include "torch/redrawn.hpp"
#include "verify/lessons/seeds.hpp"

namespace attn::verify {
namespace {

/// How many numbers a tensor takes with each seed; none if nothing of it is drawn.
std::optional<std::int64_t> work_of(const Tensor& tensor, const torch::Draws& draws) {
  bool is_drawn = false;
  std::int64_t numbers = 0;
  std::unordered_set<const void*> seen;
  for_each_source(tensor, seen, [&](const Tensor& source) {
    const bool is_product = source.kind() == Kind::matmul || source.kind() == Kind::linear;
    numbers += element_count(source.shape()) * (is_product ? source.operands()[0].size(-1) : 1);
    is_drawn = is_drawn || std::ranges::any_of(draws.draws, [&](const torch::Draw& draw) {
                 return draw.count > 0 && draw.leaf.id() == source.id();
               });
  });
  for (const torch::Draw& draw : draws.draws) {
    numbers += static_cast<std::int64_t>(draw.count);
  }
  return is_drawn ? std::optional(numbers) : std::nullopt;
}

/// Returns true if few seeds give such numbers: many bits, or some fractions.
bool tells_seed(const Observed& theirs, const Tensor& step) {
  constexpr std::size_t enough = 1'000;
  const auto count = static_cast<std::ptrdiff_t>(std::min(theirs.size(), enough));
  const std::set<double> different(theirs.values.begin(), theirs.values.begin() + count);
  return step.dtype() == DType::boolean ? theirs.size() >= 40 && different.size() >= 2 : different.size() >= 4;
}

}  // namespace

std::optional<std::int64_t> seed_of(const Observed& theirs, const Tensor& step, const torch::Draws& draws,
                                    Right& right) {
  constexpr std::int64_t most_numbers = 1'000'000'000;
  const std::optional<std::int64_t> work = work_of(step, draws);
  if (!work || !tells_seed(theirs, step)) {
    return std::nullopt;
  }
  const std::vector<Laid> layouts = right.layouts(theirs, step);
  std::int64_t numbers = 0;
  for (const std::int64_t seed : usual_seeds()) {
    numbers += *work;
    if (layouts.empty() || numbers > most_numbers) {
      return std::nullopt;
    }
    const Tensor drawn = torch::redrawn(step, draws, seed);
    const std::vector<double> values = values_of(drawn);
    const bool is_it = std::ranges::any_of(layouts, [&](const Laid& laid) {
      constexpr Tolerance near{1e-2, 1e-2, false};
      return compare(laid.values, values, near, laid.cells).holds() &&
             Right(right.tolerance(), right.heads()).holds(laid, drawn);
    });
    if (is_it) {
      return seed;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> seed_of(std::span<const Matched> matched, const torch::Draws& draws, Right& right) {
  constexpr std::size_t most_tensors = 3;
  std::multimap<std::int64_t, const Matched*> drawn;  // by their work
  for (const Matched& one : matched) {
    const std::optional<std::int64_t> work = work_of(*one.step->tensor, draws);
    if (!work || !tells_seed(*one.theirs, *one.step->tensor)) {
      continue;
    }
    if (one.is_right) {
      return std::nullopt;
    }
    drawn.emplace(*work, &one);
  }
  std::size_t asked = 0;
  for (const auto& [work, one] : drawn) {
    const auto seed = asked++ < most_tensors ? seed_of(*one->theirs, *one->step->tensor, draws, right) : std::nullopt;
    if (seed) {
      return seed;
    }
  }
  return std::nullopt;
}

}  // namespace attn::verify
