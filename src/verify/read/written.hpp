#pragma once

#include <span>
#include <string>
#include <vector>

#include "verify/read/page.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {

/// What a program gives a variable, or prints, where it runs from top to bottom.
struct Written {
  Place place;              ///< of the statement's first line
  std::string name;         ///< the variable; empty where none gets it
  std::string value;        ///< the expression as written; empty where it cannot be told: in a loop, in place
  std::string label;        ///< of what is printed: the words before it
  bool is_printed = false;  ///< certainly; an expression that stands alone is shown by a prompt and a notebook
};

/// In the program's order. Of functions' bodies nothing; what loops and conditions assign cannot be told.
std::vector<Written> find_written(std::span<const Statement> statements);

}  // namespace attn::verify
