#pragma once

#include <span>

/// Functions of the GNU C library (2.28 and later, on a processor with fused multiply-add), whose bits PyTorch's
/// `default` kernels have. Other C libraries and processors give other last bits; these are the same everywhere.
namespace attn::glibc {

/// e to the x: 0 for -inf, inf beyond the range of float, NaN for NaN.
[[nodiscard]] float exp(float x);

/// Computes exp of each element in place; fast for many elements.
void exp(std::span<float> values);

/// The natural logarithm; x is positive, finite and not subnormal.
[[nodiscard]] float log(float x);

struct SinCos {
  float sin;
  float cos;
};

/// Sine and cosine; |x| < 120.
[[nodiscard]] SinCos sincos(float x);

}  // namespace attn::glibc
