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

/// Tells where a lesson's random numbers may explain what a page prints. Every program that draws after the same seed
/// has them, so they speak for the lesson only beside something that the lesson made of them.
class DrawnSteps {
 public:
  DrawnSteps(std::span<const Printed> printed, const StepFinder& finder);

  /// Whether the printed tensor may be that step: always, unless the step is one draw, or in a lesson that is varied
  /// made of one draw alone. Such a step must be named by the label, or stand beside others of its lesson. Queries are
  /// no keys, whoever draws their weights first, unless the lesson makes something of both that the page shows too.
  bool may_explain(const Printed& printed, std::size_t step) const;

 private:
  /// The draws of rand, randn and nn.Linear that a step is made of, by their first numbers: a chapter that seeds again
  /// has them twice.
  using Draws = std::set<double>;

  const Draws& draws_of(std::size_t step) const;

  const StepFinder& finder_;
  mutable std::unordered_map<std::size_t, Draws> draws_;  ///< of the steps that were asked for
  std::vector<const Explanation*> shown_;  ///< those of which the page shows what they made of their draws
  /// The steps that the page shows which are made of several draws: 'j', and queries and keys that it calls so.
  std::vector<std::pair<const KnownStep*, char>> telling_;

  /// Whether the page's queries and keys are those of the step's section.
  bool is_in_order(const KnownStep& step) const;
};

}  // namespace attn::verify
