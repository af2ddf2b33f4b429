#pragma once

#include <span>
#include <string>

#include "cli/command_line.hpp"

namespace attn::cli {

/// Throws UsageError, with a suggestion, if the command does not take one of the line's arguments. The line was read
/// from `arguments`.
void check_expected(const CommandLine& line, std::span<const std::string> arguments);

}  // namespace attn::cli
