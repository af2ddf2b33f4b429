#pragma once

#include "cli/command_line.hpp"

namespace attn::cli {

/// Adds the --format or --emit that the ending of --output's file implies, unless one is given. Throws UsageError for
/// the ending of a format that --output cannot write.
void choose_form(CommandLine& line);

/// The error for the ending of a file or folder to --save; empty if it is valid.
std::string wrong_ending_to_save(const std::string& path);

}  // namespace attn::cli
