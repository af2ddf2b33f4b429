#pragma once

#include <cstddef>

namespace attn {

/// The set of CPU kernels that PyTorch picks at run time. They differ in the last bits of uniform
/// draws, of normal draws (16 elements or more) and of softmax.
enum class Cpu {
  /// On an x86-64 machine with AVX2: fused multiply-add, Cephes logf and sincosf, SLEEF expf.
  avx2,
  /// On a machine with AVX-512, PyTorch 2.x: the same but for softmax, which takes 16 numbers at a time.
  avx512,
  /// Elsewhere, or with ATEN_CPU_CAPABILITY=default in the environment: plain arithmetic and libm.
  standard,
};

/// The numbers that a set's softmax takes at a time: ATen's Vectorized<float>::size().
constexpr std::size_t softmax_lanes(Cpu cpu) { return cpu == Cpu::avx512 ? 16 : 8; }

/// Whose sums products have: OpenBLAS has kernels for each processor, and they differ in the last bits. All sets but
/// `native` compute on one thread, so that the number of cores reaches no bit.
enum class Blas {
  haswell,      ///< fused multiply-add; also those of Zen: what nearly every x86-64 machine picks
  skylakex,     ///< AVX-512
  sandybridge,  ///< no fused multiply-add
  prescott,     ///< SSE3; also what OpenBLAS picks for a processor that it does not know
  environment,  ///< those that OPENBLAS_CORETYPE names
  native,       ///< what OpenBLAS picks on this machine, with products split among its threads
};

/// What decides the last bits of a tensor besides the operations that made it.
struct Kernels {
  Cpu cpu = Cpu::avx2;
  Blas blas = Blas::haswell;

  bool operator==(const Kernels&) const = default;
};

/// The two ways in which PyTorch builds draw Bernoulli variables, and so Dropout's masks. They take
/// different numbers of draws, so that every draw after them differs too.
enum class DropoutKernel {
  /// A double uniform draw (two 32-bit draws) for each element.
  standard,
  /// One 32-bit draw in all, the seed of Intel MKL's MCG31m1 stream, which gives every element:
  /// older x86 wheels on Intel processors.
  mkl,
};

}  // namespace attn
