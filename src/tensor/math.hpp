#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "tensor/kernels.hpp"

namespace attn {

/// Instructions that both the processor and the system support.
bool has_avx2();  ///< and FMA
bool has_avx512();

// a * b + c for floats, rounded once.

/// From double arithmetic: every bit of std::fma, but for which NaN it returns. It has no branches, so a compiler can
/// compute several at a time.
struct FusedByDoubles {
  [[gnu::always_inline]] float operator()(float a, float b, float c) const {
    // 1. The product is exact: 24 and 24 bits make at most 48 of 53.
    const double product = static_cast<double>(a) * static_cast<double>(b);
    const double addend = c;

    // 2. The sum, and what its rounding left out (Knuth's TwoSum).
    const double sum = product + addend;
    const double of_addend = sum - product;
    const double left_out = (product - (sum - of_addend)) + (addend - of_addend);

    // 3. An inexact sum becomes the odd one of its two neighbours; then rounding to float is as if done once. The odd
    // one is a step from an even sum, away from zero if what was left out has its sign. (NaN compares false.)
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    const bool is_inexact = left_out < 0 || left_out > 0;
    const bool is_outwards = (left_out < 0) == (sum < 0);
    const std::uint64_t step = is_outwards ? 1 : ~std::uint64_t{0};
    const std::uint64_t odd = is_inexact && (bits & 1U) == 0 ? bits + step : bits;
    return static_cast<float>(std::bit_cast<double>(odd));
  }
};

/// With the processor's instruction, or else by the C library.
struct Fused {
  [[gnu::always_inline]] float operator()(float a, float b, float c) const {
#if defined(__wasm__)  // musl without rounding modes rounds twice: half of the sums midway between two floats are wrong
    return FusedByDoubles()(a, b, c);
#else
    return std::fma(a, b, c);
#endif
  }
};

inline constexpr Fused fused;

/// Computes e to the x as PyTorch's softmax does.
///
/// `Cpu::avx2` and `Cpu::avx512`: every bit of SLEEF's expf with 1 ulp error bound (Sleef_expf8_u10avx2 and
/// Sleef_expf16_u10avx512f, which are also Sleef_expf1_u10purecfma). `Cpu::standard`: glibc's expf. All: 0 for
/// -inf, inf beyond the range of float, NaN for NaN.
[[nodiscard]] float softmax_exp(float x, Cpu cpu);

/// Computes softmax_exp of each element in place; fast for many elements.
void softmax_exp(std::span<float> values, Cpu cpu);

}  // namespace attn

/// Functions of the GNU C library (2.28 and later, on a processor with fused multiply-add), whose bits PyTorch's
/// `default` kernels have. Other C libraries and processors give other last bits; these are the same everywhere.
namespace attn::glibc {

/// e to the x: 0 for -inf, inf beyond the range of float, NaN for NaN.
[[nodiscard]] float exp(float x);

/// The natural logarithm; x is positive, finite and not subnormal.
[[nodiscard]] float log(float x);

struct SinCos {
  float sin;
  float cos;
};

/// Sine and cosine; |x| < 120.
[[nodiscard]] SinCos sincos(float x);

}  // namespace attn::glibc

/// Functions whose result is the double nearest to the exact one. The C libraries' own differ in the last bit; these
/// are the same everywhere. They are slow: for a few numbers, or to show one.
namespace attn::rounded {

[[nodiscard]] double exp(double x);

/// The natural logarithm; x is positive, and finite and not subnormal as a float.
[[nodiscard]] double log(double x);

/// |x| < 2^20
[[nodiscard]] double sin(double x);
[[nodiscard]] double cos(double x);

/// base is as for log.
[[nodiscard]] double pow(double base, double power);

}  // namespace attn::rounded
