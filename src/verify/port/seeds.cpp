#include "verify/port/seeds.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "torch/redrawn.hpp"
#include "verify/lessons/seeds.hpp"

namespace attn::verify {
namespace {

/// The cost of a tensor: draws, and computed numbers.
struct Work {
  bool is_drawn = false;
  std::int64_t numbers = 0;

  Work(const Tensor& tensor, const torch::Draws& draws) {
    std::unordered_set<const void*> seen;
    for_each_source(tensor, seen, [&](const Tensor& source) { add(source, draws); });
    for (const torch::Draw& draw : draws.draws) {
      numbers += static_cast<std::int64_t>(draw.count);
    }
  }

 private:
  void add(const Tensor& tensor, const torch::Draws& draws) {
    is_drawn = is_drawn || std::ranges::any_of(draws.draws, [&](const torch::Draw& draw) {
                 return draw.count > 0 && draw.leaf.id() == tensor.id();
               });
    const bool is_product = tensor.kind() == Kind::matmul || tensor.kind() == Kind::linear;
    numbers += element_count(tensor.shape()) * (is_product ? tensor.operands()[0].size(-1) : 1);
  }
};

/// Returns true if few seeds give such numbers: many bits, or some fractions.
bool says_something(const Observed& theirs, const Tensor& step) {
  constexpr std::size_t fewest_bits = 40;
  constexpr std::size_t fewest_numbers = 4;
  const std::size_t fewest_different = step.dtype() == DType::boolean ? 2 : fewest_numbers;
  std::set<double> different;
  for (std::size_t i = 0; i < theirs.values.size() && different.size() < fewest_different; ++i) {
    different.insert(theirs.values[i]);
  }
  return theirs.values.size() >= (step.dtype() == DType::boolean ? fewest_bits : fewest_numbers) &&
         different.size() >= fewest_different;
}

}  // namespace

std::optional<std::int64_t> seed_of(const Observed& theirs, const Tensor& step, const torch::Draws& draws,
                                    Right& right) {
  constexpr std::int64_t most_numbers = 1'000'000'000;
  const Work work(step, draws);
  if (!work.is_drawn || !says_something(theirs, step)) {
    return std::nullopt;
  }
  const std::vector<Laid> layouts = right.layouts(theirs, step);
  std::int64_t numbers = 0;
  for (const std::int64_t seed : usual_seeds()) {
    numbers += work.numbers;
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
  std::vector<std::pair<std::int64_t, const Matched*>> drawn;
  for (const Matched& one : matched) {
    const Work work(*one.step->tensor, draws);
    if (work.is_drawn && one.is_right && says_something(*one.theirs, *one.step->tensor)) {
      return std::nullopt;
    }
    if (work.is_drawn && !one.is_right) {
      drawn.emplace_back(work.numbers, &one);
    }
  }
  std::ranges::stable_sort(drawn, {}, [](const auto& one) { return one.first; });
  std::size_t asked = 0;
  for (const auto& [work, one] : drawn) {
    if (!says_something(*one->theirs, *one->step->tensor)) {
      continue;
    }
    if (const auto seed = seed_of(*one->theirs, *one->step->tensor, draws, right)) {
      return seed;
    }
    if (++asked == most_tensors) {
      break;
    }
  }
  return std::nullopt;
}

}  // namespace attn::verify
