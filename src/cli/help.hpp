#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace attn::cli {

/// The text of --help for the command that the line names, or for the program.
std::string help(const CommandLine& line);

/// The text of -h: the common options of the command, or of a chapter if none is named. It is the text of --help if
/// that is about as short.
std::string short_help(const CommandLine& line);

/// The first commands to try.
std::string first_words();

}  // namespace attn::cli
