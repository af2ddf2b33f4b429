#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "verify/explain/find_steps.hpp"
#include "verify/explain/finding.hpp"
#include "verify/explain/match.hpp"
#include "verify/read/budget.hpp"

namespace attn::verify {

/// What each printed thing takes in any case: its finding, and where it was seen.
inline constexpr std::size_t memory_to_derive_one = sizeof(Finding) + 2 * sizeof(std::size_t);

/// The finding of each printed tensor: a lesson's step where every cell holds, else what it follows from, else a step
/// or a relation that holds but for a few cells. Those of sizes are empty. `chosen` loses the steps that a tensor is
/// not. Throws OverBudget.
std::vector<Finding> derive(std::span<const Printed> printed, StepFinder& finder, std::vector<Choice>& chosen,
                            const Given& given, Budget& budget);

}  // namespace attn::verify
