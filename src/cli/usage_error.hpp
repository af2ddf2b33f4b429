#pragma once

#include <stdexcept>

namespace attn::cli {

/// An invalid command line: what is wrong; what is accepted; what to do.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace attn::cli
