#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace attn::cli {

/// What --help says of the command that the line names, or of the program.
std::string help(const CommandLine& line);

/// What to try first.
std::string first_words();

}  // namespace attn::cli
