#pragma once

#include <span>

#include "verify/explain/explanation.hpp"
#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Tries known mistakes in the lessons with the most tensors on a page and, if all explanations are of one chapter, in
/// the plain ones among those. A tensor that is not a step, but is one with a mistake, gets Verdict::mistake if
/// coincidence is excluded; later steps of the same program that nothing else explains get Verdict::inherited. A page
/// that also prints the right step under another label shows both on purpose; then a note says so.
void find_mistakes(Report& report, std::span<const Explanation> explanations);

}  // namespace attn::verify
