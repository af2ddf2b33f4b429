#pragma once

#include <cstddef>
#include <string>

#include "verify/read/page.hpp"

namespace attn::verify {

/// An assignment or a print of a program, in execution order through loops of known length, functions and methods. Each
/// run of a function has its own scope; 0 is the program's. Names beginning with "our_" stand for what the program does
/// not name: a draw, the result of a call, an item.
struct Written {
  Place place;              ///< of the program's statement that runs it
  std::string name;         ///< the variable; empty if there is none
  std::string value;        ///< the expression with executed calls replaced; empty if it is unknown
  std::string label;        ///< for a print, the words before the value
  bool is_printed = false;  ///< certainly printed; a prompt or a notebook shows an expression that stands alone
  std::size_t scope = 0;    ///< scope of the variable
  std::size_t in = 0;       ///< scope of the expression's variables
  std::string text;         ///< for a print, the expression as written
};

}  // namespace attn::verify
