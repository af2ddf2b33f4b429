#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// a * b + c for floats, rounded once.
namespace attn {

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

}  // namespace attn
