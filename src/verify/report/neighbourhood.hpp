#pragma once

#include <string>

#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Some rows around the first differing cell, with differing cells in brackets. Empty if rows are lost or nothing
/// differs.
std::string neighbourhood(const Finding& finding);

}  // namespace attn::verify
