#pragma once

#include <iosfwd>

#include "emit/request.hpp"

namespace attn::emit {

/// Writes a PyTorch program whose output is identical to the walkthrough. Its statements follow from the steps' tensors
/// and the draws, in the order of the steps. Tensors that no shown step needs are left out.
void write_pytorch(std::ostream& out, const Request& request);

/// Writes the same program as a notebook, with the output of each cell.
void write_notebook(std::ostream& out, const Request& request);

}  // namespace attn::emit
