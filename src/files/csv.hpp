#pragma once

#include <string_view>

#include "files/read.hpp"

namespace attn::dump {

/// A matrix, without a name: a line is a row, its numbers apart by commas, semicolons, tabs or spaces, as the first row
/// has it; lines that begin with # and empty ones are left out. Throws Wrong.
Dumped parse_csv(std::string_view text);

}  // namespace attn::dump
