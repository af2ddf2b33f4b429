#pragma once

#include <span>
#include <utility>
#include <vector>

#include "verify/explain/find_steps.hpp"
#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Kernels that differ only in the last bits, tried for tensors that hold except for last digits.
class OtherKernels {
 public:
  OtherKernels(std::span<const Printed> printed, Known& known) : printed_(printed), known_(known) {}

  /// Replaces chosen steps that do not hold with steps of other kernels that do.
  void choose(StepFinder& finder, std::vector<Choice>& chosen);
  /// If other kernels explain some of a lesson's tensors, and hold for everything that the page has of the lesson,
  /// assigns all of it, `chosen` included, to these kernels, and the report says so. Otherwise each such tensor's
  /// finding says so.
  void agree(Report& report, std::vector<Choice>& chosen);

 private:
  /// Other kernels, and those that they replace.
  using Pair = std::pair<const Explanation*, const Explanation*>;

  Choice held_step(const Printed& printed, const Explanation& explanation);
  Choice same_step(std::size_t step, const Explanation& other, const Shape& shape);
  bool is_by_blas_alone(const Finding& finding);
  bool agrees(const Finding& finding, const Explanation& kernels, const Explanation& usual);
  const Explanation& usual_of(const Explanation& explanation) const;
  void take(Report& report, std::vector<Choice>& chosen, const Explanation& kernels, const Explanation& usual);

  std::span<const Printed> printed_;
  Known& known_;
  std::vector<Pair> found_;  ///< kernels found on the page, in its order
};

}  // namespace attn::verify
