#pragma once

#include "cli/command_line.hpp"

namespace attn::cli {

/// Lets the ending of --output's file choose the form, as if --format or --emit were given, where neither is. Throws
/// UsageError for an ending that promises what no form of output is.
void choose_form(CommandLine& line);

/// What is wrong with the ending of a file or folder to --save; empty where nothing is.
std::string wrong_ending_to_save(const std::string& path);

}  // namespace attn::cli
