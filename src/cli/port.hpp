#pragma once

#include "cli/options.hpp"

namespace attn::cli {

/// Whether `verify` is asked about dumps of tensors, and not about pages. Throws UsageError where it is about both, or
/// where an option is for the other.
bool is_about_dumps(const Options& options);

/// `attn-walkthrough verify` of dumps: holds a port's tensors against a chapter's, and says where they went wrong and
/// why. Returns the exit code. Throws dump::DumpError, and UsageError, before anything is written.
int verify_dumps(const Options& options);

}  // namespace attn::cli
