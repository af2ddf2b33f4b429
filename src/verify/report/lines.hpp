#pragma once

#include <array>
#include <string>

#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Where it stands, its shape, what it is or follows from, and the verdict.
using Columns = std::array<std::string, 4>;

Columns columns_of(const Finding& finding);

/// What is wrong with it, in indented lines; empty where nothing is.
std::string details_of(const Finding& finding);

/// How many tensors and sizes hold, of which lessons; how many have each verdict, and where those stand that do not
/// hold.
std::string summary_of(const Report& report);

}  // namespace attn::verify
