#pragma once

#include "cli/options.hpp"

namespace attn::cli {

/// Throws UsageError, with the reason, where forms of output are asked for that cannot be had together.
void check_forms(const Options& options);

}  // namespace attn::cli
