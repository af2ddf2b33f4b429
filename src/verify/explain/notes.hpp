#pragma once

#include <span>

#include "verify/explain/explanation.hpp"
#include "verify/explain/finding.hpp"
#include "verify/explain/known_steps.hpp"
#include "verify/explain/pool.hpp"

namespace attn::verify {

/// Where a finding does not hold: says whether another explanation has exactly the page's numbers.
void add_kernel_note(Finding& finding, const KnownSteps& best, std::span<const KnownSteps> all, const Pool& pool);

/// Names the article's slips that the finding is one of.
void add_slips(Finding& finding, const Explanation& explanation);

}  // namespace attn::verify
