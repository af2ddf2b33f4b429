#pragma once

#include <span>

namespace attn {

/// The sum of a row in the order of at::native's cascade_sum.
float row_sum(std::span<const float> row);

}  // namespace attn
