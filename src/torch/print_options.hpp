#pragma once

#include <cstdint>

namespace attn::torch {

enum class SciMode { automatic, on, off };

/// torch.set_printoptions' settings, with PyTorch's defaults.
struct PrintOptions {
  /// Digits after the decimal point.
  int precision = 4;
  /// Tensors of more elements than this are summarised.
  std::int64_t threshold = 1000;
  /// Items shown at either end of an axis of a summarised tensor.
  std::int64_t edgeitems = 3;
  /// Characters per line, as far as PyTorch keeps to it.
  std::int64_t linewidth = 80;
  SciMode sci_mode = SciMode::automatic;
};

}  // namespace attn::torch
