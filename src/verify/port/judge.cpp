#include "verify/port/judge.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_set>
#include <utility>

#include "tensor/operations.hpp"
#include "torch/redrawn.hpp"
#include "verify/lessons/seeds.hpp"

namespace attn::verify {

namespace {

/// A dump matched with the steps of one right way.
struct Attempt {
  Way way;
  Parts parts = {};
  Matching matching = {};

  bool any(bool (*is_one)(const Matched& matched)) const { return std::ranges::any_of(matching.matched, is_one); }
  bool is_all_right() const {
    return matching.unmatched.empty() && std::ranges::all_of(matching.matched, &Matched::is_right);
  }
  /// How much of the dump it explains: tensors that are right or follow from others, then right ones.
  std::pair<std::int64_t, std::int64_t> explained() const {
    const std::int64_t right = std::ranges::count_if(matching.matched, &Matched::is_right);
    return {right + std::ranges::count_if(matching.matched, &Matched::is_inherited), right};
  }
};

/// The dump matched in the right way that explains most of it: the first in which all is right, if there is one.
Attempt best_attempt(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names, Right& right) {
  std::optional<Attempt> best;
  for (Way& way : ways_of(steps)) {
    Attempt attempt{std::move(way)};
    attempt.matching = match(dumped, attempt.way, names, right, attempt.parts);
    if (!best || attempt.is_all_right() || attempt.explained() > best->explained()) {
      best = std::move(attempt);
    }
    if (best->is_all_right()) {
      break;
    }
  }
  return *std::move(best);
}

// ---- Storage --------------------------------------------------------------------------------------

/// Another order in which all arrays of a dump may be stored.
struct Storage {
  const char* words;
  bool are_numbers_moved;  ///< with the axes; else the shape alone is the other way round
};
constexpr Storage storages[] = {{"arrays have their axes in reverse order, as in Julia, MATLAB and Fortran", true},
                                {"shapes are written in reverse order, as ggml's ne", false}};

bool is_weight_step(const Matched& matched) {
  return is_weight(*matched.step->tensor) || matched.step->tensor->dim() < 2;
}

/// Returns true if a right tensor shows the order of axes. Weights do not: they may be transposed anyway.
bool tells_order(const Matched& matched) {
  const Shape& shape = matched.theirs->shape;
  return matched.is_right && !is_weight_step(matched) && !std::equal(shape.begin(), shape.end(), shape.rbegin());
}

/// The dump with all axes reversed, except for weights that are right as they are.
std::vector<Observed> stored_as(const Storage& storage, std::span<const Observed> dumped, const Matching& plain) {
  std::vector<Observed> result(dumped.begin(), dumped.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    Observed& theirs = result[i];
    const bool stays = std::ranges::any_of(plain.matched, [&](const Matched& matched) {
      return matched.given == i && matched.is_right && is_weight_step(matched);
    });
    if (!stays && storage.are_numbers_moved) {
      const Shape strides = row_major_strides(theirs.shape);
      std::vector<Axis> axes;
      for (std::size_t axis = theirs.rank(); axis-- > 0;) {
        axes.push_back({"", theirs.shape[axis], strides[axis]});
      }
      std::vector<double> values;
      for (const std::int64_t cell : cells_of(axes, 0)) {
        values.push_back(theirs.values[at(cell)]);
      }
      theirs.values = std::move(values);
    }
    if (!stays) {
      std::ranges::reverse(theirs.shape);
    }
  }
  return result;
}

// ---- Verdicts -------------------------------------------------------------------------------------

/// Compares a recognised tensor with the lesson's numbers.
Judged compared(const Matched& matched, Right& right) {
  const Tensor& step = *matched.step->tensor;
  const PortVerdict verdict = !matched.laid          ? PortVerdict::shape
                              : matched.is_right     ? PortVerdict::right
                              : matched.is_inherited ? PortVerdict::inherited
                                                     : PortVerdict::wrong;
  const Comparison comparison = matched.laid ? right.compare(*matched.laid, step) : Comparison();
  return {matched, verdict, comparison, SharedNumbers([step] { return values_of(step); })};
}

}  // namespace

Judgement judge(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                const Tolerance& tolerance, const torch::Draws& draws) {
  Right right(tolerance, heads_of(steps));
  Judgement result;
  Attempt best = best_attempt(dumped, steps, names, right);
  const auto is_plain = [](const Matched& matched) { return tells_order(matched) && matched.laid->is_plain; };
  const bool is_stored_so = best.is_all_right() || best.any(is_plain);
  for (const Storage& storage : storages) {
    if (is_stored_so || !result.stored.empty()) {
      break;
    }
    std::vector<Observed> stored = stored_as(storage, dumped, best.matching);
    Attempt other = best_attempt(stored, steps, names, right);
    if (other.explained() > best.explained() && other.any(tells_order)) {
      other.way.words = storage.words + (other.way.words.empty() ? "" : ", and " + other.way.words);
      best = std::move(other);
      result.stored = std::move(stored);
    }
  }
  result.seed = seed_of(best.matching.matched, draws, right);
  if (result.seed) {
    return result;
  }
  std::vector<const Tensor*> shown;
  for (const Matched& matched : best.matching.matched) {
    // How a layer's fused tensor is cut a port has not shown by the whole.
    const bool is_own = matched.step->tensor->kind() != Kind::slice ||
                        std::ranges::count(best.matching.matched, matched.given, &Matched::given) == 1;
    if (matched.is_right && is_own && matched.laid->cells.empty()) {
      shown.push_back(&*matched.step->tensor);
    }
  }
  for (const Matched& matched : best.matching.matched) {
    Judged& judged = result.tensors.emplace_back(compared(matched, right));
    if (judged.verdict == PortVerdict::wrong) {
      judged.causes = causes_of(matched, best.way.steps, best.matching.operands, shown, right);
    }
  }
  result.unmatched = std::move(best.matching.unmatched);
  result.undecided = std::move(best.matching.undecided);
  result.way = std::move(best.way);
  result.parts = std::move(best.parts);
  return result;
}

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
