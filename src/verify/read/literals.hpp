#pragma once

#include <vector>

#include "verify/read/listing.hpp"
#include "verify/read/page.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

/// Finds the tensors that a program writes out: lists of at least two numbers in a call that creates tensors, or
/// assigned to a variable if they have floats or the program creates a tensor from it. Printed tensors are left out.
/// Takes time linear in the page.
std::vector<Literal> find_literals(const Page& page, const Zones& zones);

}  // namespace attn::verify
