#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "verify/explain/known_steps.hpp"
#include "verify/explain/match.hpp"

namespace attn::verify {

/// Fills the findings of the printed sizes. `chosen` has, for each tensor that is recognised, its step.
void match_sizes(std::span<Finding> findings, std::vector<std::optional<std::size_t>>& chosen,
                 const KnownSteps& known);

}  // namespace attn::verify
