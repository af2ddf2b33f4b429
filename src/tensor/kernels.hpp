#pragma once

#include <cstddef>

namespace attn {

/// The set of CPU kernels that PyTorch picks at run time. The sets differ in the last bits of uniform draws, of normal
/// draws (16 elements or more) and of softmax.
enum class Cpu {
  /// On an x86-64 machine with AVX2: fused multiply-add, Cephes logf and sincosf, SLEEF expf.
  avx2,
  /// On a machine with AVX-512, PyTorch 2.x: as avx2, except for softmax, which processes 16 numbers at a time.
  avx512,
  /// Elsewhere, or with ATEN_CPU_CAPABILITY=default in the environment: plain arithmetic and libm.
  standard,
};

/// The numbers that a set's softmax processes at a time: ATen's Vectorized<float>::size().
constexpr std::size_t softmax_lanes(Cpu cpu) { return cpu == Cpu::avx512 ? 16 : 8; }

/// The order in which products are summed: OpenBLAS has kernels for each processor, and they differ in the last bits.
/// Each uses one thread, so the number of cores does not affect the result.
enum class Blas {
  haswell,   ///< fused multiply-add; also Zen's kernels: the choice on nearly every x86-64 machine
  portable,  ///< this project's own, for any processor: the same bits as haswell's
  skylakex,  ///< AVX-512
};

/// The set of OpenBLAS's whose bits these are.
constexpr Blas bits_of(Blas blas) { return blas == Blas::portable ? Blas::haswell : blas; }

/// The kernels that decide a tensor's last bits, besides the operations that compute it.
struct Kernels {
  Cpu cpu = Cpu::avx2;
  Blas blas = Blas::haswell;

  bool operator==(const Kernels&) const = default;
};

/// The two ways in which PyTorch builds draw Bernoulli variables, and so Dropout's masks. They use different numbers of
/// draws, so every later draw differs as well.
enum class DropoutKernel {
  /// A double uniform draw (two 32-bit draws) for each element.
  standard,
  /// One 32-bit draw in total, which seeds Intel MKL's MCG31m1 stream for all elements: older x86 wheels on Intel
  /// processors.
  mkl,
};

}  // namespace attn
