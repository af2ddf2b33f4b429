#pragma once

#include <span>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/explain/known.hpp"

namespace attn::verify {

/// Fills the findings of the printed sizes. `chosen` has, for each tensor that is recognised, its step. A size differs
/// only where its label says which step's it is.
void match_sizes(std::span<const Printed> printed, std::span<Finding> findings, std::vector<Choice>& chosen,
                 const Known& known);

}  // namespace attn::verify
