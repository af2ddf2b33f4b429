#pragma once

#include <string>
#include <vector>

#include "tensor/array.hpp"
#include "verify/read/page.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

/// Numbers written out in a program: torch.tensor([[0.43, ...]]), np.array(...), vec![...].
struct Literal {
  Place place;       ///< of its first bracket; in a notebook, the line of the cell's source
  std::string name;  ///< the variable assigned to, "inputs"; empty if there is none
  Shape shape;
  std::vector<double> values;  ///< row-major, exact
};

/// Finds the tensors that a program writes out: lists of at least two numbers in a call that creates tensors, or
/// assigned to a variable if they have floats or the program creates a tensor from it. Printed tensors are left out.
/// Takes time linear in the page.
std::vector<Literal> find_literals(const Page& page, const Zones& zones);

}  // namespace attn::verify
