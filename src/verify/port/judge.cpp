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
#include "verify/port/matcher.hpp"
#include "verify/port/meanings.hpp"
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

/// Forgets the runs that explain less than the best one: what they keep may be large.
void forget_worse(std::deque<Attempt>& runs, const Attempt& best) {
  for (Attempt& run : runs) {
    if (explained(run.matching) < explained(best.matching)) {
      run = Attempt();
    }
  }
}

/// Returns true if a large tensor that is right in the first way, by its name, is far from the step of this name in
/// another way: that way explains less.
bool is_contradicted(const Way& way, const Attempt& first, const Right& right) {
  return std::ranges::any_of(first.matching.matched, [&](const Matched& matched) {
    const auto step = std::ranges::find(way.steps, full_name(*matched.step), full_name);
    return matched.is_right && matched.by == Matched::By::name && step != way.steps.end() &&
           step->tensor->id() != matched.step->tensor->id() && right.is_far(*matched.theirs, *step->tensor);
  });
}

/// The one tensor that a way leaves wrong by its name, or unmatched as its numbers say nothing; null if it leaves
/// others.
const Observed* only_unexplained(const Matching& matching, std::span<const Observed> dumped) {
  const auto is_wrong = [](const Matched& one) { return !one.is_right && !one.is_inherited; };
  const auto wrong = std::ranges::find_if(matching.matched, is_wrong);
  if (std::ranges::count_if(matching.matched, is_wrong) + std::ssize(matching.unmatched) != 1) {
    return nullptr;
  }
  if (wrong != matching.matched.end()) {
    return wrong->by <= Matched::By::name ? wrong->theirs : nullptr;
  }
  const Observed& unmatched = dumped[matching.unmatched[0]];
  return says_something(unmatched) ? nullptr : &unmatched;
}

/// Returns true if another way explains no more than the first, which leaves one tensor unexplained: its step is the
/// same in both, and it is none of the other way's own steps.
bool explains_no_more(const Way& way, const Attempt& first, std::span<const Observed> dumped, Right& right) {
  const Observed* const left = only_unexplained(first.matching, dumped);
  if (left == nullptr) {
    return false;
  }
  const auto has = [](std::span<const Step> steps, const Step& wanted) {
    return std::ranges::any_of(steps, [&](const Step& step) { return step.tensor->id() == wanted.tensor->id(); });
  };
  const bool keeps_its_step = std::ranges::all_of(first.matching.matched, [&](const Matched& matched) {
    return matched.theirs != left || has(way.steps, *matched.step);
  });
  return keeps_its_step && std::ranges::none_of(way.steps, [&](const Step& step) {
           return element_count(step.tensor->shape()) == element_count(left->shape) && !has(first.way.steps, step) &&
                  right.holding(*left, *step.tensor);
         });
}

/// The dump matched in each right way, up to one in which all is right. Ways that large tensors contradict, or that
/// explain no more than the first, are left out, and what explains less than the first way is forgotten.
std::deque<Attempt> runs_of(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                            Right& right) {
  std::deque<Attempt> runs;
  for (Way& way : ways_of(steps)) {
    if (!runs.empty() &&
        (is_contradicted(way, runs.front(), right) || explains_no_more(way, runs.front(), dumped, right))) {
      continue;
    }
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

/// Causes of a wrong mask in its other sense.
template <class CausesIn>
void add_otherwise(std::vector<Cause>& causes, Matched matched, const CausesIn& causes_in) {
  const std::size_t own = causes.size();
  std::swap(matched.laid, matched.otherwise);
  const auto is_any_mask = [](const Cause& cause) { return cause.names[0] == "another-mask"; };
  std::ranges::move(causes_in(matched), std::back_inserter(causes));
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const std::string& words = (i < own ? matched.otherwise : matched.laid)->words;
    causes[i].sentence += words.find(seen_words) == std::string::npos ? ", if your mask is True for what is hidden"
                                                                      : ", if your mask is True for what is seen";
  }
  if (!std::ranges::all_of(causes, is_any_mask)) {
    std::erase_if(causes, is_any_mask);  // a known mistake is likelier than an arbitrary mask
  }
}

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
  forget_worse(runs, runs[best]);
  const auto causes_in = [&](const Attempt& run, const Matched& matched) {
    return causes_of(matched, run.way.steps, run.matching.operands, run.shown(), right, otherwise);
  };
  for (const Matched& matched : runs[best].matching.matched) {
    Judged judged = compared(matched, right);
    if (judged.verdict == PortVerdict::wrong) {
      judged.whose = whose_numbers(matched, runs[best].way.steps, right);
      judged.causes = causes_in(runs[best], matched);
    }
    if (judged.verdict == PortVerdict::wrong && matched.otherwise) {
      add_otherwise(judged.causes, matched, [&](const Matched& other) { return causes_in(runs[best], other); });
    }
    // What does not tell one way from another may be wrong in a way of its own.
    for (std::size_t i = 0;
         judged.verdict == PortVerdict::wrong && i < runs.size() && !are_claimed(judged.causes, *matched.laid); ++i) {
      for (const Matched& other : runs[i].matching.matched) {
        const bool is_same = i != best && explained(runs[i].matching) == explained(runs[best].matching) &&
                             other.given == matched.given && other.step->name == matched.step->name &&
                             verdict_of(other) == PortVerdict::wrong;
        if (is_same) {
          std::vector<Cause> causes = causes_in(runs[i], other);
          judged.causes = are_claimed(causes, *other.laid) ? std::move(causes) : std::move(judged.causes);
        }
      }
    }
    result.untried = judged.verdict == PortVerdict::wrong && judged.causes.empty() ? right.left_out() : result.untried;
    result.tensors.push_back(std::move(judged));
  }
  result.unmatched = std::move(runs[best].matching.unmatched);
  result.undecided = std::move(runs[best].matching.undecided);
  result.relations = relations_of(dumped, result.unmatched, right.tolerance());
  result.way = std::move(runs[best].way);
  result.parts = std::move(runs[best].parts);
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
