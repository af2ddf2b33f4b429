#pragma once

#include <iosfwd>
#include <span>

#include "emit/form.hpp"
#include "emit/request.hpp"

namespace attn::emit {

/// A kind of program that reproduces a walkthrough.
struct Emitter : Form {
  void (*write)(std::ostream& out, const Request& request);
  bool shows_output = false;  ///< also writes the output of each step
};

/// All kinds of programs.
std::span<const Emitter> emitters();

}  // namespace attn::emit
