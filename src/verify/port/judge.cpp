#include "verify/port/judge.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "verify/port/axes.hpp"
#include "verify/port/relations.hpp"
#include "verify/port/seeds.hpp"

namespace attn::verify {
namespace {

/// How much of a dump a way explains: tensors that are right or follow from others, then right ones.
std::tuple<std::int64_t, std::int64_t> explained(const Matching& matching) {
  const std::int64_t right = std::ranges::count_if(matching.matched, &Matched::is_right);
  return {right + std::ranges::count_if(matching.matched, &Matched::is_inherited), right};
}

bool is_all_right(const Matching& matching) {
  return matching.unmatched.empty() && std::ranges::all_of(matching.matched, &Matched::is_right);
}

PortVerdict verdict_of(const Matched& matched) {
  return !matched.laid          ? PortVerdict::shape
         : matched.is_right     ? PortVerdict::right
         : matched.is_inherited ? PortVerdict::inherited
                                : PortVerdict::wrong;
}

/// The step that these numbers belong to, if they are not the right ones.
std::string whose_numbers(const Matched& matched, std::span<const Step> steps, Right& right) {
  const std::vector<double>& values = matched.theirs->values;
  if (std::ranges::all_of(values, [&](double value) { return value == values[0]; })) {
    return "";
  }
  for (const Step& other : steps) {
    const bool is_other = other.tensor->id() != matched.step->tensor->id() &&
                          other.tensor->dtype() == matched.step->tensor->dtype() && other.tensor->dim() > 0;
    if (is_other && right.holding(*matched.theirs, *other.tensor)) {
      return full_name(other);
    }
  }
  return "";
}

/// A dump matched with the steps of one right way.
struct Attempt {
  Way way;
  Parts parts;
  Matching matching;

  std::vector<const Tensor*> shown() const {
    std::vector<const Tensor*> tensors;
    for (const Matched& matched : matching.matched) {
      if (matched.is_right && matched.laid->cells.empty()) {
        tensors.push_back(&*matched.step->tensor);
      }
    }
    return tensors;
  }
};

/// The dump matched in each right way, up to one in which all is right. What explains less than the first is forgotten.
std::deque<Attempt> runs_of(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                            Right& right) {
  std::deque<Attempt> runs;
  for (Way& way : ways_of(steps)) {
    Attempt& run = runs.emplace_back();
    run.way = std::move(way);
    run.matching = match(dumped, run.way, names, right, run.parts);
    if (is_all_right(run.matching)) {
      break;
    }
    if (explained(run.matching) < explained(runs.front().matching)) {
      runs.pop_back();
    }
  }
  return runs;
}

std::size_t best_of(const std::deque<Attempt>& runs) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    best = is_all_right(runs[i].matching) || explained(runs[i].matching) > explained(runs[best].matching) ? i : best;
  }
  return best;
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

Observed with_reversed_axes(Observed theirs, const Storage& storage) {
  if (storage.are_numbers_moved) {
    std::vector<std::size_t> order(theirs.rank());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    std::vector<double> values;
    for (const std::int64_t cell : cells_in_order(theirs.shape, order)) {
      values.push_back(theirs.values[at(cell)]);
    }
    theirs.values = std::move(values);
  }
  std::ranges::reverse(theirs.shape);
  return theirs;
}

/// The dump with all axes reversed, except for weights that are right as they are.
std::vector<Observed> stored_as(const Storage& storage, std::span<const Observed> dumped, const Matching& plain) {
  std::vector<Observed> result;
  for (std::size_t i = 0; i < dumped.size(); ++i) {
    const bool stays = std::ranges::any_of(plain.matched, [&](const Matched& matched) {
      return matched.given == i && matched.is_right && is_weight_step(matched);
    });
    result.push_back(stays ? dumped[i] : with_reversed_axes(dumped[i], storage));
  }
  return result;
}

// ---- Causes ---------------------------------------------------------------------------------------

/// Compares a recognised tensor with the lesson's numbers.
Judged compared(const Matched& matched, Right& right) {
  const Tensor& step = *matched.step->tensor;
  if (const Comparison* const held = right.known(*matched.theirs, step)) {
    return {matched, PortVerdict::right, *held, {}, "", {}};
  }
  Judged judged{matched, verdict_of(matched), {}, right.shown_values(step), "", {}};
  if (matched.laid) {
    judged.comparison = right.compare(*matched.laid, step, matched.is_right);
  }
  return judged;
}

Judgement judgement_of(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names, Right& right,
                       const Otherwise& otherwise) {
  Judgement result;
  std::deque<Attempt> runs = runs_of(dumped, steps, names, right);
  std::size_t best = best_of(runs);
  const auto is_plain = [](const Matched& matched) { return tells_order(matched) && matched.laid->is_plain; };
  if (!is_all_right(runs[best].matching) && std::ranges::none_of(runs[best].matching.matched, is_plain)) {
    for (const Storage& storage : storages) {
      std::vector<Observed> stored = stored_as(storage, dumped, runs[best].matching);
      std::deque<Attempt> others = runs_of(stored, steps, names, right);
      const std::size_t other = best_of(others);
      if (explained(others[other].matching) > explained(runs[best].matching) &&
          std::ranges::any_of(others[other].matching.matched, tells_order)) {
        best = other;
        runs = std::move(others);
        result.stored = std::move(stored);
        std::string& words = runs[best].way.words;
        words = storage.words + (words.empty() ? "" : ", and " + words);
        break;
      }
    }
  }
  result.seed = seed_of(runs[best].matching.matched, otherwise.draws, right);
  if (result.seed) {
    return result;
  }
  Attempt run = std::move(runs[best]);
  runs.clear();  // what they keep may be large
  for (const Matched& matched : run.matching.matched) {
    Judged judged = compared(matched, right);
    if (judged.verdict == PortVerdict::wrong) {
      judged.whose = whose_numbers(matched, run.way.steps, right);
      judged.causes = causes_of(matched, run.way.steps, run.matching.operands, run.shown(), right, otherwise);
    }
    result.untried = judged.verdict == PortVerdict::wrong && judged.causes.empty() ? right.left_out() : result.untried;
    result.tensors.push_back(std::move(judged));
  }
  result.unmatched = std::move(run.matching.unmatched);
  result.undecided = std::move(run.matching.undecided);
  result.relations = relations_of(dumped, result.unmatched, right.tolerance());
  result.way = std::move(run.way);
  result.parts = std::move(run.parts);
  return result;
}

}  // namespace

Judgement judge(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                const Tolerance& tolerance, const Otherwise& otherwise) {
  const bool shows_few = !std::ranges::all_of(dumped, &SharedNumbers::are_read, &Observed::values);
  Right right(tolerance, heads_of(steps), shows_few);
  return judgement_of(dumped, steps, names, right, otherwise);
}

}  // namespace attn::verify
