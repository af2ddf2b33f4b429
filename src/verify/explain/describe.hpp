#pragma once

#include "verify/explain/find_steps.hpp"
#include "verify/explain/finding.hpp"
#include "verify/propose/relation.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// What became of a printed tensor that is the chosen step of its candidates: same, same numbers, but for last digits,
/// or different.
Finding describe_step(const Printed& printed, const Candidates& found, std::size_t chosen, Known& known);

/// What became of a printed tensor that follows from others, or would but for a few cells.
Finding describe_relation(const Printed& printed, const Relation& relation);

/// A printed tensor that is the step with a mistake made, or, where it is not the first such step, inherits that
/// mistake. It tells the cells that are not as they are `without` the mistake.
Finding describe_mistake(const Finding& was, const Step& step, const Tensor& without, const Explanation& explanation,
                         Mistaken mistaken, bool is_first);

/// A tensor of which nothing can be said; `nearest`, if any, is a step that it does not hold on.
Finding describe_unknown(const Printed& printed, const Choice& nearest, const Known& known);

}  // namespace attn::verify
