#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "emit/request.hpp"

namespace attn::emit {

/// One kind of program that does what a walkthrough did.
struct Emitter {
  std::string_view name;  ///< on the command line
  void (*write)(std::ostream& out, const Request& request);
  bool shows_output = false;  ///< what each step prints, too
};

/// Every kind of program, once.
std::span<const Emitter> emitters();

}  // namespace attn::emit
