#pragma once

#include "verify/explain/find_steps.hpp"
#include "verify/explain/finding.hpp"
#include "verify/propose/relation.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Describes a printed tensor by the chosen step of its candidates: same, same numbers, last digits, or different.
Finding describe_step(const Printed& printed, const Candidates& found, std::size_t chosen, Known& known);

/// Describes a printed tensor that follows from others, or would except for a few cells.
Finding describe_relation(const Printed& printed, const Relation& relation);

/// Describes a printed tensor that is the step with a mistake or, if it is not the first such step, inherits that
/// mistake. Lists the cells that differ from those `without` the mistake.
Finding describe_mistake(const Finding& was, const Step& step, const Tensor& without, const Explanation& explanation,
                         Mistaken mistaken, bool is_first);

/// Describes an unexplained tensor; `nearest`, if any, is a step that it does not match.
Finding describe_unknown(const Printed& printed, const Choice& nearest, const Known& known);

}  // namespace attn::verify
