#pragma once

#include <span>
#include <string>
#include <vector>

#include "tensor/array.hpp"
#include "verify/program/draws.hpp"

namespace attn::verify {

/// A tensor that a listing draws.
struct Replayed {
  Shape shape;
  std::vector<double> values;  ///< row-major
  /// In an expression: "W_key", or where no variable has it alone "(the 2nd torch.rand(3, 2) after
  /// torch.manual_seed(123))".
  std::string words;
  /// On its own: "W_key = torch.rand(3, 2), drawn after torch.manual_seed(123)".
  std::string sentence;
  std::string key = {};  ///< by which the listing's expressions call it: "our_draw_3.weight"
  bool is_sound = true;  ///< false for what a program may not draw there: dropout's masks, of this kernel
};

/// Draws what a listing's calls draw, in their order: all after a seed, up to a call that cannot be read. Tensors of up
/// to 4,096 numbers are kept, 32 at most.
std::vector<Replayed> replay(std::span<const DrawCall> calls);

/// The calls with dropout's masks drawn by the other kernel; empty if nothing draws a mask.
std::vector<DrawCall> with_other_dropout(std::span<const DrawCall> calls);

}  // namespace attn::verify
