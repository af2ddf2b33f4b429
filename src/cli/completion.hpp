#pragma once

#include <string>
#include <vector>

namespace attn::cli {

/// The shells that have completions.
std::vector<std::string> shells();

/// The completion script of a shell; null for an unknown shell. The script gets its candidates from
/// `attn-walkthrough complete`.
const char* completion_script(const std::string& shell);

}  // namespace attn::cli
