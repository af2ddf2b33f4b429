#pragma once

#include "cli/command_line.hpp"

namespace attn::cli {

/// The settings of an incomplete line, as far as they can be parsed.
Options understood(const CommandLine& line);

}  // namespace attn::cli
