#pragma once

#include <span>
#include <vector>

#include "verify/explain/find_steps.hpp"
#include "verify/explain/finding.hpp"
#include "verify/explain/match.hpp"
#include "verify/explain/written_at.hpp"

namespace attn::verify {

/// The finding of each printed tensor: a lesson's step if every cell holds, else the relation that it follows from,
/// else a step or a relation that holds except for a few cells. Findings of sizes are empty unless the listing computes
/// what it prints them of. Removes steps from `chosen` that a tensor is not.
std::vector<Finding> derive(std::span<const Printed> printed, const WrittenAt& written, StepFinder& finder,
                            std::vector<Choice>& chosen, const Given& given);

}  // namespace attn::verify
