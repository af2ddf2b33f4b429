#pragma once

#include <span>

#include "verify/explain/candidates.hpp"
#include "verify/explain/known_steps.hpp"
#include "verify/explain/pool.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// A single number that is wrong under its label is not another step's that happens to have it: chooses the label's
/// step instead. `found` and `chosen` have an item for each printed thing.
void trust_labels(std::span<const Printed> printed, const KnownSteps& known, const Pool& pool,
                  std::span<Candidates> found, std::span<Choice> chosen);

}  // namespace attn::verify
