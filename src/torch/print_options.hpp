#pragma once

#include <cstdint>

namespace attn::torch {

enum class SciMode { automatic, on, off };

/// The settings of torch.set_printoptions, with PyTorch's defaults.
struct PrintOptions {
  /// Digits after the decimal point.
  int precision = 4;
  /// Tensors with more elements than this are summarised.
  std::int64_t threshold = 1000;
  /// Items shown at either end of an axis of a summarised tensor.
  std::int64_t edgeitems = 3;
  /// Characters per line, to the extent that PyTorch observes it.
  std::int64_t linewidth = 80;
  SciMode sci_mode = SciMode::automatic;
};

}  // namespace attn::torch
