#pragma once

#include <iosfwd>

#include "emit/request.hpp"

namespace attn::emit {

/// Writes a program that needs only numpy: it computes each step in float32 and prints it. Inputs, weights and masks
/// are literals. numpy sums in another order than PyTorch, so last digits differ.
void write_numpy(std::ostream& out, const Request& request);

}  // namespace attn::emit
