#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verify/explain/find_steps.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Decides where a lesson's random numbers may explain a page's. Every program that draws after the same seed has them,
/// so they are evidence of the lesson only beside a tensor that the lesson computes from them.
class DrawnSteps {
 public:
  DrawnSteps(std::span<const Printed> printed, const StepFinder& finder);

  /// Returns true if the printed tensor may be that step: always, unless the step is one draw or, in a varied lesson,
  /// is computed from one draw alone. The label must name such a step, or other steps of its lesson must be on the
  /// page. Queries are not keys, whichever weights are drawn first, unless the page also shows something that the
  /// lesson computes from both.
  bool may_explain(const Printed& printed, std::size_t step) const;

 private:
  /// The draws of rand, randn and nn.Linear that a step depends on, by their first numbers: a chapter that seeds again
  /// has them twice.
  using Draws = std::set<double>;

  const Draws& draws_of(std::size_t step) const;

  const StepFinder& finder_;
  mutable std::unordered_map<std::size_t, Draws> draws_;  ///< by step, on demand
  std::vector<const Explanation*> shown_;  ///< explanations of which the page shows something computed from their draws
  /// The steps on the page that depend on several draws: 'j', and queries and keys with such labels.
  std::vector<std::pair<const KnownStep*, char>> telling_;

  /// Returns true if the page's queries and keys are those of the step's section.
  bool is_in_order(const KnownStep& step) const;
};

}  // namespace attn::verify
