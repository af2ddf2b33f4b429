#pragma once

#include <span>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/explain/known.hpp"

namespace attn::verify {

/// Fills in the findings of the printed sizes. `chosen` has the step of each recognised tensor. A size can differ only
/// if its label names its step.
void match_sizes(std::span<const Printed> printed, std::span<Finding> findings, std::vector<Choice>& chosen,
                 const Known& known);

}  // namespace attn::verify
