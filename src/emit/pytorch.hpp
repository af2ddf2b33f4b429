#pragma once

#include <iosfwd>

#include "emit/request.hpp"

namespace attn::emit {

/// A program for the real PyTorch: what it prints is what the walkthrough prints, text for text. Its statements come
/// from the steps' tensors and from what was drawn, in the order of the steps; what no shown step needs is left out.
void write_pytorch(std::ostream& out, const Request& request);

/// The same program in the cells of a notebook, with what each prints below it.
void write_notebook(std::ostream& out, const Request& request);

}  // namespace attn::emit
