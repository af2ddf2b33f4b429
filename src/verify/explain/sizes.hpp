#pragma once

#include <span>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/explain/known_steps.hpp"

namespace attn::verify {

/// Fills the findings of the printed sizes. `chosen` has, for each tensor that is recognised, its step.
void match_sizes(std::span<Finding> findings, std::vector<Choice>& chosen, const KnownSteps& known);

}  // namespace attn::verify
