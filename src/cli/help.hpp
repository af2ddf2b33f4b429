#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace attn::cli {

/// What --help says of the command that the line names, or of the program.
std::string help(const CommandLine& line);

}  // namespace attn::cli
