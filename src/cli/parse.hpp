#pragma once

#include "cli/command_line.hpp"

namespace attn::cli {

/// What a line asks for, as far as it can be understood.
Options understood(const CommandLine& line);

}  // namespace attn::cli
