#pragma once

#include "cli/options.hpp"

namespace attn::cli {

/// The chapter of --chapter: in the given article, or else in the first that has it; null where none has.
const chapters::Chapter* named_chapter(const VerifyOptions& verify);

/// Returns true if `verify` gets files of tensors, not pages. Throws UsageError for a mixture, or for an option of the
/// other kind.
bool is_about_dumps(const Options& options);

/// `attn-walkthrough verify` of dumps: compares a port's tensors with a chapter's and reports where they differ and
/// why. Returns the exit code. Throws files::DumpError, and UsageError, before anything is written.
int verify_dumps(const Options& options);

}  // namespace attn::cli
