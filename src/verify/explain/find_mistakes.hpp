#pragma once

#include <span>

#include "verify/explain/explanation.hpp"
#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Tries known mistakes in the lessons that most of a page's tensors are steps of, and, where all explanations are of
/// one chapter, in the plain ones among those. A tensor that is no step, but is one with a mistake made, gets
/// Verdict::mistake if chance is excluded; later steps of the same program that nothing else explains get
/// Verdict::inherited. A page that prints the right step too, under another label, shows both on purpose: then a note
/// says so.
void find_mistakes(Report& report, std::span<const Explanation> explanations);

}  // namespace attn::verify
