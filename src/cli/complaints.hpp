#pragma once

#include <span>
#include <string>

#include "cli/command_line.hpp"

namespace attn::cli {

/// Throws UsageError, with a suggestion, if the line has an argument that nothing takes. The arguments are those that
/// it was read from.
void check_expected(const CommandLine& line, std::span<const std::string> arguments);

}  // namespace attn::cli
