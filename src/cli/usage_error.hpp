#pragma once

#include <stdexcept>

namespace attn::cli {

/// The command line cannot be understood: what is wrong; what is accepted; how to go on.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace attn::cli
