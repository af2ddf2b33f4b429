#pragma once

#include <span>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/explain/page_program.hpp"
#include "verify/explain/relations.hpp"
#include "verify/page/printed.hpp"

namespace attn::verify {

/// Explains each tensor of a page: by a step of the explanations, by what the page's program computes there, or by
/// other tensors on the page and `known` ones. The report points into the first two arguments.
Report match(std::span<const Printed> printed, std::span<const Explanation> explanations,
             const PageProgram& program = {}, std::span<const Source> known = {});

/// Tries known mistakes in the lessons with the most tensors on a page and, if all explanations are of one chapter, in
/// the plain ones among those. A tensor that is not a step, but is one with a mistake, gets Verdict::mistake if
/// coincidence is excluded; later steps of the same program that nothing else explains get Verdict::inherited. A page
/// that also prints the right step under another label shows both on purpose.
void find_mistakes(Report& report, std::span<const Explanation> explanations);

}  // namespace attn::verify
