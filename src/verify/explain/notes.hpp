#pragma once

#include "verify/explain/finding.hpp"
#include "verify/explain/known.hpp"

namespace attn::verify {

/// Adds a note for each of the article's slips that explains the finding.
void add_slips(Finding& finding);

/// For a finding that does not hold: notes that the page has the numbers of a step that is not allowed.
void add_elsewhere(Finding& finding, const KnownStep& elsewhere);

}  // namespace attn::verify
