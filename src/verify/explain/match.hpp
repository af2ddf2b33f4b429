#pragma once

#include <span>
#include <vector>

#include "verify/explain/explanation.hpp"
#include "verify/explain/finding.hpp"
#include "verify/program/written.hpp"
#include "verify/propose/relation.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// What is known about a page besides its output.
struct Given {
  std::vector<Source> sources;   ///< inputs and literals
  std::vector<Written> written;  ///< assignments and prints of the listing
  Givens numbers;
};

/// Explains each tensor of a page by the best of the explanations, or by what it follows from. The report points into
/// the first two arguments.
Report match(std::span<const Printed> printed, std::span<const Explanation> explanations, const Given& given = {});

}  // namespace attn::verify
