#pragma once

#include <string>
#include <vector>

namespace attn::cli {

/// The shells that have completions.
std::vector<std::string> shells();

/// The script that completes commands and options in one of these shells.
std::string completion_script(const std::string& shell);

}  // namespace attn::cli
