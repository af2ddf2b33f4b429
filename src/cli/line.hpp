#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace attn::cli {

/// Reads the arguments, without the program's name, into the options. Returns the command; null without one. Throws
/// UsageError for an unknown command or option, an unexpected argument, and a value that is not valid.
const Subcommand* read_line(std::span<const std::string> arguments, Options& options);

/// The options as the command has them before any is read.
void begin(const Subcommand& command, Options& options);

/// "unknown chapter 'caussal'; did you mean causal? see attn-walkthrough list": what is wrong, a known word that is
/// near, if one is, and where all are.
UsageError unknown(const std::string& what, const std::string& word, std::span<const std::string> known,
                   const std::string& see);

}  // namespace attn::cli
