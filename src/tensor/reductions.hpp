#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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

/// The sum of the column at `place` among adjacent columns.
float column_sum(std::span<const float> column, std::size_t place, std::size_t columns);

/// The larger number; NaN if one is NaN.
inline float larger(float a, float b) { return std::isnan(a) || a > b ? a : b; }

/// The sum of terms in the order of PyTorch's vectorised reduction: one accumulator per lane, the tail added to the
/// first lanes; then folded in halves (avx2, avx512) or from left to right (default kernels). `term` gives a term,
/// `added` the sum with a term added, of which it is told whether it belongs to the tail.
template <class Term, class Added>
float lane_sum(std::size_t count, Cpu cpu, const Term& term, const Added& added) {
  const std::size_t lanes = softmax_lanes(cpu);
  if (count < lanes) {
    float sum = term(0);
    for (std::size_t i = 1; i < count; ++i) {
      sum += term(i);
    }
    return sum;
  }
  std::array<float, softmax_lanes(Cpu::avx512)> lane{};
  for (std::size_t k = 0; k < lanes; ++k) {
    lane[k] = term(k);
  }
  for (std::size_t start = lanes; start < count; start += lanes) {
    const std::size_t size = std::min(lanes, count - start);
    for (std::size_t k = 0; k < size; ++k) {
      lane[k] = added(lane[k], start + k, size < lanes);
    }
  }
  if (cpu != Cpu::standard) {
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) {
        lane[k] += lane[k + half];
      }
    }
    return lane[0];
  }
  float sum = lane[0];
  for (std::size_t k = 1; k < lanes; ++k) {
    sum += lane[k];
  }
  return sum;
}

}  // namespace attn
