#pragma once

#include "cli/options.hpp"

namespace attn::cli {

/// The chapter of --chapter: as the article has it that is asked for, or else the first that has it; null where there is
/// none.
const chapters::Chapter* named_chapter(const VerifyOptions& verify);

/// Whether `verify` is asked about dumps of tensors, and not about pages. Throws UsageError where it is about both, or
/// where an option is for the other.
bool is_about_dumps(const Options& options);

/// `attn-walkthrough verify` of dumps: holds a port's tensors against a chapter's, and says where they went wrong and
/// why. Returns the exit code. Throws dump::DumpError, and UsageError, before anything is written.
int verify_dumps(const Options& options);

}  // namespace attn::cli
