#pragma once

#include <span>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// How a framework writes the numbers of one tensor, and so what the last digits of a cell mean.
enum class NumberStyle {
  fixed,        ///< PyTorch, Candle: each number to its last decimal; without decimals only if all are whole
  trimmed,      ///< numpy, JAX, TensorFlow, Python, Nx: up to the same decimal, zeros at the end left out
  significant,  ///< MLX: six significant digits or more, zeros at the end left out
};

/// Gives each cell of a tensor its unit by the style. The cells come as parse_cell makes them, with the unit of the
/// last digit that is seen.
void set_units(std::span<Cell> cells, NumberStyle style);

}  // namespace attn::verify
