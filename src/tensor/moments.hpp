#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels.hpp"

namespace attn {

/// The mean of a row's numbers, and their variance: the mean of the squared differences from it.
struct Moments {
  float mean;
  float variance;
};

/// What PyTorch's nn.LayerNorm computes (RowwiseMoments of at::native's moments_utils.h, in the order of PyTorch 2.14):
/// Welford's updates in eight lanes, merged in chunks. `Cpu::avx2` and `Cpu::avx512` fuse multiplications with
/// additions, `Cpu::standard` does not.
Moments layer_norm_moments(std::span<const float> row, Cpu cpu);

/// What Tensor.var computes: Welford's updates in float64, from left to right.
float row_variance(std::span<const float> row);

/// The sum of a row in the order of at::native's cascade_sum.
float row_sum(std::span<const float> row);

}  // namespace attn
