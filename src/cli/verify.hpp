#pragma once

#include "cli/options.hpp"

namespace attn::cli {

/// Runs `attn-walkthrough verify`: reads the pages and writes their reports. Returns the exit code: 0 if all numbers
/// are right, 1 if one is wrong. Throws verify::PageError before anything is written if a page cannot be read or has no
/// tensor.
int verify(const Options& options);

}  // namespace attn::cli
