#pragma once

#include <span>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// The notation that a framework uses for a tensor's numbers, which determines the meaning of a cell's last digits.
enum class NumberStyle {
  fixed,        ///< PyTorch: every number has all its decimals; none only if all numbers are whole
  trimmed,      ///< numpy, JAX, TensorFlow, Python, Nx: the same number of decimals, trailing zeros dropped
  significant,  ///< MLX: at least six significant digits, trailing zeros dropped
};

/// Sets each cell's unit according to the style. The cells come from parse_cell, with the unit of the last visible
/// digit.
void set_units(std::span<Cell> cells, NumberStyle style);

}  // namespace attn::verify
