#pragma once

#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Looks among known mistakes in the lessons that a page's other tensors are steps of for what gives the numbers of those
/// that are no step, and adds a note to each whose numbers that are, if that is no chance.
void note_mistakes(Report& report);

}  // namespace attn::verify
