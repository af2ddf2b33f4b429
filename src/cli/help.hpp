#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace attn::cli {

/// The text of --help for the command that the line names, or for the program.
std::string help(const CommandLine& line);

/// The text of -h: the common options of the command, or of a chapter where none is named, and where the rest is. The
/// text of --help where that is about as short.
std::string short_help(const CommandLine& line);

/// What to try first.
std::string first_words();

}  // namespace attn::cli
