#pragma once

#include "cli/options.hpp"

namespace attn::cli {

/// `attn-walkthrough verify`: reads the pages and writes their reports to where the options say. Returns the exit code,
/// 0 where all numbers hold and 1 where something differs. Throws verify::PageError, before anything is written, where
/// a page cannot be read or prints no tensor.
int verify(const Options& options);

}  // namespace attn::cli
