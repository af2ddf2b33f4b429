#pragma once

#include <exception>
#include <string>

#include "cli/options.hpp"

namespace attn::cli {

/// Runs the command on standard input and output. Returns the exit code. Errors occur before the first byte is written.
int run(const Options& options);

/// An error as one line: what is wrong; what is accepted; what to do.
std::string error_line(const std::exception& error);

}  // namespace attn::cli
