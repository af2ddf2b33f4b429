#pragma once

#include "verify/explain/finding.hpp"
#include "verify/explain/known.hpp"

namespace attn::verify {

/// Names the article's slips that the finding is one of.
void add_slips(Finding& finding);

/// Where a finding does not hold: says that the page has the numbers of a step that is not allowed.
void add_elsewhere(Finding& finding, const KnownStep& elsewhere);

}  // namespace attn::verify
