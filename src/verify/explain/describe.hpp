#pragma once

#include "verify/explain/candidates.hpp"
#include "verify/explain/finding.hpp"
#include "verify/explain/known_steps.hpp"
#include "verify/explain/pool.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// What became of a printed tensor that is the chosen step, or none, of its candidates.
Finding describe(const Printed& printed, const Candidates& found, const Choice& chosen, KnownSteps& known,
                 const Pool& pool);

}  // namespace attn::verify
