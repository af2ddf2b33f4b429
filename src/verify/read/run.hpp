#pragma once

#include <span>
#include <vector>

#include "verify/read/draws.hpp"
#include "verify/read/statements.hpp"
#include "verify/read/written.hpp"

namespace attn::verify {

struct Literal;

/// What a program in Python does, as far as it can be told from its text.
struct Run {
  std::vector<DrawCall> draws;   ///< of PyTorch's and numpy's generators; "our_draw_3" is the one at place 3
  std::vector<Written> written;  ///< what it assigns and prints
};

/// Runs it through loops of a known length, functions and methods; of what is under a condition that cannot be told
/// nothing is known. Takes time linear in the program and in a bounded number of statements that it runs.
Run run_program(std::vector<Statement> statements, std::span<const Literal> literals);

}  // namespace attn::verify
