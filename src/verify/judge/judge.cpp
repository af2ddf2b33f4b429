#include "verify/judge/judge.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <utility>

#include "verify/judge/relations.hpp"

namespace attn::port {
namespace {

/// How much of a dump a way explains: tensors that are right, or follow from others; and of these the right ones.
std::tuple<std::int64_t, std::int64_t> explained(const Matching& matching) {
  const std::int64_t right = std::ranges::count_if(matching.matched, &Matched::is_right);
  return {right + std::ranges::count_if(matching.matched, &Matched::is_inherited), right};
}

bool is_all_right(const Matching& matching) {
  return matching.unmatched.empty() && std::ranges::all_of(matching.matched, &Matched::is_right);
}

Verdict verdict_of(const Matched& matched) {
  return !matched.laid          ? Verdict::shape
         : matched.is_right     ? Verdict::right
         : matched.is_inherited ? Verdict::inherited
                                : Verdict::wrong;
}

/// The step whose numbers these are, of those whose numbers are not the right ones.
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

/// A dump matched with the steps in one right way.
struct Run {
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

bool are_claimed(const std::vector<Cause>& causes, const Matched& matched) {
  const std::size_t cells = matched.laid->cells.empty() ? matched.laid->values.size() : matched.laid->cells.size();
  return !causes.empty() && causes[0].explained == static_cast<std::int64_t>(cells);
}

}  // namespace

Judgement judge(std::span<const dump::Dumped> dumped, std::span<const Step> steps, const Names& names,
                const Tolerance& tolerance, const Otherwise& otherwise) {
  Right right(tolerance, heads_of(steps));
  std::deque<Run> runs;
  std::size_t best = 0;
  for (Way& way : ways_of(steps)) {
    Run& run = runs.emplace_back();
    run.way = std::move(way);
    run.matching = match(dumped, run.way, names, right, run.parts);
    best = explained(run.matching) > explained(runs[best].matching) ? runs.size() - 1 : best;
    if (is_all_right(run.matching)) {
      break;
    }
  }
  const auto causes_in = [&](const Run& run, const Matched& matched) {
    return causes_of(matched, run.way.steps, run.matching.operands, run.shown(), right, otherwise);
  };
  Judgement result;
  for (const Matched& matched : runs[best].matching.matched) {
    Judged judged{matched, verdict_of(matched), {}, right.values(*matched.step->tensor), "", {}};
    if (matched.laid) {
      judged.comparison = right.compare(*matched.laid, *matched.step->tensor);
    }
    if (judged.verdict == Verdict::wrong) {
      judged.whose = whose_numbers(matched, runs[best].way.steps, right);
      judged.causes = causes_in(runs[best], matched);
    }
    // What does not tell one way from another may be wrong in a way of its own.
    for (std::size_t i = 0; judged.verdict == Verdict::wrong && i < runs.size() && !are_claimed(judged.causes, matched);
         ++i) {
      for (const Matched& other : runs[i].matching.matched) {
        const bool is_same = i != best && explained(runs[i].matching) == explained(runs[best].matching) &&
                             other.given == matched.given && other.step->name == matched.step->name &&
                             verdict_of(other) == Verdict::wrong;
        if (is_same) {
          std::vector<Cause> causes = causes_in(runs[i], other);
          judged.causes = are_claimed(causes, other) ? std::move(causes) : std::move(judged.causes);
        }
      }
    }
    result.tensors.push_back(std::move(judged));
  }
  result.unmatched = std::move(runs[best].matching.unmatched);
  result.relations = relations_of(dumped, result.unmatched, tolerance);
  result.way = std::move(runs[best].way);
  result.parts = std::move(runs[best].parts);
  return result;
}

}  // namespace attn::port
