#pragma once

#include <vector>

#include "verify/program/draws.hpp"
#include "verify/program/written.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {

/// The effects of a Python program, as far as its text determines them.
struct Run {
  std::vector<DrawCall> draws;   ///< from PyTorch's and numpy's generators; "our_draw_3" is the one at place 3
  std::vector<Written> written;  ///< assignments and prints
};

/// Runs the program through loops of known length, functions and methods; the effects under an undetermined condition
/// are unknown. Takes time linear in the program and in a bounded number of executed statements.
Run run_program(std::vector<Statement> statements);

}  // namespace attn::verify
