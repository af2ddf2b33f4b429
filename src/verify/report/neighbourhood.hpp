#pragma once

#include <string>

#include "verify/explain/finding.hpp"

namespace attn::verify {

/// Some rows around the first cell that differs, such cells in brackets. Empty where rows are lost or nothing differs.
std::string neighbourhood(const Finding& finding);

}  // namespace attn::verify
