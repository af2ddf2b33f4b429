#pragma once

#include <cstddef>
#include <string>

#include "verify/read/page.hpp"

namespace attn::verify {

/// What a program gives a variable, or prints, in the order in which it runs: through loops of a known length,
/// functions and methods. Each run of a function is a scope of its own, 0 the program's. Names that begin with "our_"
/// stand for what the program does not name: a draw, what a call returned, an item.
struct Written {
  Place place;              ///< of the statement of the program that runs it
  std::string name;         ///< the variable; empty where none gets it
  std::string value;        ///< the expression, calls that were run replaced; empty where it cannot be told
  std::string label;        ///< of what is printed: the words before it
  bool is_printed = false;  ///< certainly; an expression that stands alone is shown by a prompt and a notebook
  std::size_t scope = 0;    ///< of the variable
  std::size_t in = 0;       ///< of the variables of the expression
  std::string text;         ///< of what is printed: the expression as written
};

}  // namespace attn::verify
