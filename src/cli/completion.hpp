#pragma once

#include <string>
#include <vector>

namespace attn::cli {

/// Those that there are completions for.
const std::vector<std::string>& shells();

/// A script with the completions of a shell; null for another. It asks `attn-walkthrough complete` what may stand where
/// the cursor is, and so knows no option by itself.
const char* completion_script(const std::string& shell);

}  // namespace attn::cli
