#include "verify/port/seeds.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "tensor/operations.hpp"
#include "torch/redrawn.hpp"
#include "verify/lessons/seeds.hpp"

namespace attn::verify {
namespace {

/// How many numbers a tensor takes with each seed; 0 if nothing of it is drawn.
std::int64_t work_of(const Tensor& tensor, const torch::Draws& draws) {
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
  return is_drawn ? numbers : 0;
}

/// Returns true if few seeds give such numbers: many bits, or some fractions.
bool tells_seed(const Observed& theirs, const Tensor& step) {
  constexpr std::size_t enough = 1'000;
  const auto count = static_cast<std::ptrdiff_t>(std::min(theirs.size(), enough));
  const std::set<double> different(theirs.values.begin(), theirs.values.begin() + count);
  return step.dtype() == DType::boolean ? theirs.size() >= 40 && different.size() >= 2 : different.size() >= 4;
}

}  // namespace

std::optional<std::int64_t> seed_of(std::span<const Matched> matched, const torch::Draws& draws, const Right& right) {
  constexpr std::int64_t most_numbers = 1'000'000'000;
  const Matched* least = nullptr;  // takes the fewest numbers
  std::int64_t work = 0;
  for (const Matched& one : matched) {
    const std::int64_t its = tells_seed(*one.theirs, *one.step->tensor) ? work_of(*one.step->tensor, draws) : 0;
    if (its > 0 && one.is_right) {
      return std::nullopt;
    }
    if (its > 0 && (least == nullptr || its < work)) {
      least = &one;
      work = its;
    }
  }
  std::int64_t numbers = 0;
  for (const std::int64_t seed : usual_seeds()) {
    numbers += work;
    if (least == nullptr || numbers > most_numbers) {
      return std::nullopt;
    }
    Right with_seed(right.tolerance(), right.heads());
    if (with_seed.holding(*least->theirs, torch::redrawn(*least->step->tensor, draws, seed))) {
      return seed;
    }
  }
  return std::nullopt;
}

}  // namespace attn::verify
