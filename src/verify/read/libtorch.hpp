#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "verify/read/printed.hpp"

/// Reads the output of libtorch, in C++ and in R.
namespace attn::verify {

/// Reads the tensor whose rows are above "[ CPUFloatType{6,3} ]", where `bracket` is the first bracket of that line.
/// Searches rows back to `from`, including matrices below "(1,.,.) =", columns in groups ("Columns 1 to 6"), a factor
/// ("0.01 *") and R's heading, torch_tensor. `printed.text` begins at the first of these. Empty if there are no numbers
/// above; ragged if they do not match the type.
std::optional<Printed> read_libtorch(std::string_view page, std::size_t from, std::size_t bracket);

}  // namespace attn::verify
