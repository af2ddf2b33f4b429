#pragma once

#include <span>
#include <utility>
#include <vector>

#include "verify/explain/find_steps.hpp"
#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Kernels that differ in the last bits alone: tried for tensors that hold but for last digits.
class OtherKernels {
 public:
  OtherKernels(std::span<const Printed> printed, Known& known) : printed_(printed), known_(known) {}

  /// Puts the steps of other kernels in the place of chosen ones that they hold where those do not.
  void choose(StepFinder& finder, std::vector<Choice>& chosen);
  /// Where a lesson has tensors of other kernels, and those hold for all that the page has of the lesson, they are all
  /// of these kernels, `chosen` too; the report says so. Else each such tensor's finding does.
  void agree(Report& report, std::vector<Choice>& chosen);

 private:
  /// Other kernels, and those in whose place they stand.
  using Pair = std::pair<const Explanation*, const Explanation*>;

  Choice held_step(const Printed& printed, const Explanation& explanation);
  Choice same_step(std::size_t step, const Explanation& other, const Shape& shape);
  bool is_by_blas_alone(const Finding& finding);
  bool agrees(const Finding& finding, const Explanation& kernels, const Explanation& usual);
  const Explanation& usual_of(const Explanation& explanation) const;
  void take(Report& report, std::vector<Choice>& chosen, const Explanation& kernels, const Explanation& usual);

  std::span<const Printed> printed_;
  Known& known_;
  std::vector<Pair> found_;  ///< whose numbers the page has, in its order
};

}  // namespace attn::verify
