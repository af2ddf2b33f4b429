#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "verify/known_steps.hpp"
#include "verify/match.hpp"

namespace attn::verify {

/// Fills the findings of the printed sizes. `chosen` has, for each tensor that is recognised, its step.
void match_sizes(std::span<Finding> findings, std::vector<std::optional<std::size_t>>& chosen,
                 const KnownSteps& known);

}  // namespace attn::verify
