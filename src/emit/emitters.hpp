#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "emit/request.hpp"

namespace attn::emit {

/// A kind of program that reproduces a walkthrough.
struct Emitter {
  std::string_view name;  ///< on the command line
  void (*write)(std::ostream& out, const Request& request);
  bool shows_output = false;  ///< also writes the output of each step
};

/// All kinds of programs.
std::span<const Emitter> emitters();

}  // namespace attn::emit
