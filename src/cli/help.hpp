#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace attn::cli {

/// The text of --help for the command that the line names, or for the program.
std::string help(const CommandLine& line);

/// What to try first.
std::string first_words();

}  // namespace attn::cli
