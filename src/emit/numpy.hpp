#pragma once

#include <iosfwd>

#include "emit/request.hpp"

namespace attn::emit {

/// A program that needs numpy alone, computes each step in float32 and prints it. Inputs, weights and masks stand in it
/// as numbers; sums are in another order than PyTorch's, so that last digits differ.
void write_numpy(std::ostream& out, const Request& request);

}  // namespace attn::emit
