#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/kernels.hpp"
#include "tensor/tensor.hpp"
#include "torch/torch.hpp"
#include "verify/page/page.hpp"

namespace attn::verify {

/// What a page's program shows: an argument of print, or an expression that stands alone at a prompt or last in a
/// notebook's cell.
struct ProgramPrint {
  Place place;                        ///< of the statement of the program's outermost level that runs it
  std::string label;                  ///< the string printed before it: "attention scores:"
  std::string words;                  ///< as the program writes it: "attn_scores[0]"
  std::optional<Tensor> tensor = {};  ///< its cells are nan where the program does not determine them
  std::optional<Shape> size = {};     ///< of a torch.Size
  bool is_other = false;              ///< certainly neither a tensor nor a size: a number, a string, a dictionary
  bool is_certain = true;             ///< false where the program may print it or not, or print more
};

/// A tensor that the program draws.
struct ProgramDraw {
  Tensor tensor;
  std::string name;     ///< the variable or attribute that it is assigned to: "W_key", "sa.W_key.weight"; may be empty
  std::string call;     ///< "torch.rand(3, 2)", "nn.Linear(3, 2, bias=False).weight"
  std::string seeded;   ///< "torch.manual_seed(123)"; empty if the program does not seed: its numbers are then unknown
  std::size_t nth = 1;  ///< it is the nth such call after the seed
};

/// The result of a statement or an expression, in the order in which the program computes them.
struct Computed {
  Tensor tensor;
  Place place;        ///< of the innermost statement, so that a reader finds the line to change
  std::string words;  ///< of the expression as the program writes it
  std::string name;   ///< the variable that is assigned; may be empty
};

/// A call whose result the program throws away, though it changes nothing: "scores.masked_fill(mask, -torch.inf)".
struct Discarded {
  Place place;
  std::string words;     ///< the statement
  std::string function;  ///< "masked_fill"
  std::string target;    ///< the variable that was meant to change: "scores"
  Tensor of;             ///< the tensor that was meant to change
  Tensor result;         ///< what was thrown away
};

/// What a page's program does, as far as its text determines it.
struct Ran {
  std::vector<ProgramPrint> prints;
  std::vector<ProgramDraw> draws;
  std::vector<Computed> computed;
  std::vector<Discarded> discarded;
  std::vector<std::int64_t> seeds;  ///< in order, each once
  std::vector<std::string> notes;   ///< "the program is not followed beyond line 12: too many steps"
  bool has_program = false;
  bool draws_dropout = false;  ///< another dropout kernel would give other numbers
};

/// The kernels that draw and compute.
struct RunWith {
  Kernels kernels = {};
  DropoutKernel dropout_kernel = DropoutKernel::standard;
};

/// Runs the program of a page once: its draws are drawn, its other tensors are lazy. It costs at most a bounded number
/// of steps, bytes, and depth.
Ran run_program(const Page& page, const RunWith& with);

}  // namespace attn::verify
