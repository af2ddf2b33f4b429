#pragma once

#include <span>

#include "tensor/kernels.hpp"

namespace attn {

/// Computes e to the x as PyTorch's softmax does.
///
/// `Cpu::avx2` and `Cpu::avx512`: every bit of SLEEF's expf with 1 ulp error bound (Sleef_expf8_u10avx2 and
/// Sleef_expf16_u10avx512f, which are also Sleef_expf1_u10purecfma). `Cpu::standard`: glibc's expf. All: 0 for
/// -inf, inf beyond the range of float, NaN for NaN.
[[nodiscard]] float softmax_exp(float x, Cpu cpu);

/// Computes softmax_exp of each element in place; fast for many elements.
void softmax_exp(std::span<float> values, Cpu cpu);

}  // namespace attn
