#pragma once

#include <cmath>
#include <string>

#include "tensor/operations.hpp"

namespace attn::chapters {

/// scores / keys.shape[-1]**0.5, with `keys` by the name that it has.
inline Tensor scaled(const Tensor& scores, const Tensor& keys) {
  return divide(scores, std::sqrt(static_cast<double>(keys.size(-1))), keys.name() + ".shape[-1]**0.5");
}

}  // namespace attn::chapters
