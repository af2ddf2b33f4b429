#pragma once

#include <string_view>

#include "files/read.hpp"

namespace attn::dump {

/// A matrix: a line is a row, its numbers apart by commas, semicolons, tabs or spaces, as the first row has it; lines
/// that begin with # and empty ones are left out. A first line as attn-walkthrough writes it, "# keys: float32 [2, 6,
/// 3]", tells the name, which else is empty, the dtype and the shape. Throws Wrong.
Dumped parse_csv(std::string_view text);

}  // namespace attn::dump
