#pragma once

#include <exception>
#include <string>

#include "cli/options.hpp"

namespace attn::cli {

/// Does what the command line asks for, on standard input and output. Returns the exit code. What can go wrong goes
/// wrong before the first byte is written.
int run(const Options& options);

/// What went wrong, as one line: what is wrong; what is accepted; how to go on.
std::string error_line(const std::exception& error);

}  // namespace attn::cli
