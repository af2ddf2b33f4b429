#pragma once

#include <span>

#include "verify/explain/explanation.hpp"
#include "verify/explain/finding.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Explains a page by the best of the explanations. The report points into both arguments. Throws
/// std::invalid_argument where no explanation is allowed.
Report match(std::span<const Printed> printed, std::span<const Explanation> explanations);

}  // namespace attn::verify
