#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tensor/array.hpp"

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

/// What `print(tensor)` prints in PyTorch 1.13 (torch/_tensor_str.py) for a dense CPU tensor, any
/// shape; 2.x prints the same unless sci_mode is forced or edgeitems is 0.
///
/// `suffixes` are the trailing texts about autograd ("grad_fn=<MulBackward0>",
/// "requires_grad=True"), in order; size= and dtype= of an empty tensor come by themselves. Of a
/// summarised tensor only the shown elements are read. Throws std::invalid_argument where PyTorch
/// cannot print either: a negative precision or edgeitems, or edgeitems = 0 for a summarised tensor
/// of two axes or more.
[[nodiscard]] std::string format_tensor(const Contents& values,
                                        std::span<const std::string> suffixes,
                                        const PrintOptions& options);

/// "torch.Size([2, 6, 3])"
[[nodiscard]] std::string format_size(const Shape& shape);

}  // namespace attn::torch
