#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "verify/read/printed.hpp"

/// What libtorch prints, in C++ and in R.
namespace attn::verify {

/// Reads the tensor whose rows stand above "[ CPUFloatType{6,3} ]", where `bracket` is the first of that line. Rows are
/// looked for back to `from`: also matrices below "(1,.,.) =", columns in groups ("Columns 1 to 6"), a factor ("0.01
/// *") and R's heading, torch_tensor. `printed.text` begins at the first of these. Nothing where no numbers stand
/// above; ragged where they are not as the type says.
std::optional<Printed> read_libtorch(std::string_view page, std::size_t from, std::size_t bracket);

}  // namespace attn::verify
