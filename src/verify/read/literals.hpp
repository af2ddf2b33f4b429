#pragma once

#include <vector>

#include "verify/read/listing.hpp"
#include "verify/read/page.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

/// The tensors that a program writes out: lists of two numbers or more in a call that makes tensors, or assigned as
/// such. What is printed is none. Takes time linear in the page.
std::vector<Literal> find_literals(const Page& page, const Zones& zones);

}  // namespace attn::verify
