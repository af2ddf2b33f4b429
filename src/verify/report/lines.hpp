#pragma once

#include <array>
#include <string>

#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Place, shape, origin (a step or a relation), and verdict.
using Columns = std::array<std::string, 4>;

Columns columns_of(const Finding& finding);

/// What is wrong with it, in indented lines; empty if nothing is.
std::string details_of(const Finding& finding);

/// The number of tensors and sizes that hold, with their lessons; the number for each verdict, and the places of those
/// that do not hold.
std::string summary_of(const Report& report);

}  // namespace attn::verify
