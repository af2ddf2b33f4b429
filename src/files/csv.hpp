#pragma once

#include <string_view>

#include "files/read.hpp"

namespace attn::files {

/// Parses a matrix: each line is a row of numbers separated by commas, semicolons, tabs or spaces, as in the first row.
/// Empty lines and lines that start with # are ignored. A first line as attn-walkthrough writes it, "# keys: float32
/// [2, 6, 3]", states the name (otherwise empty), the dtype and the shape. Throws Wrong.
Dumped parse_csv(std::string_view text);

}  // namespace attn::files
