#include "tensor/exp.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "tensor/fused.hpp"
#include "tensor/glibc_math.hpp"
#include "tensor/processor.hpp"

namespace attn {
namespace {

/// 2^q; q in [-126, 127].
[[gnu::always_inline]] inline float power_of_two(std::int32_t q) {
  return std::bit_cast<float>((static_cast<std::uint32_t>(q) + 127U) << 23U);
}

/// SLEEF's expf u1.0 (sleefsimdsp.c, xexpf): x = q ln 2 + s, so e^x = 2^q e^s, and e^s is a polynomial. It has no
/// branches, so a compiler can compute eight at a time (clang++ does, g++ does with -fno-trapping-math).
[[gnu::always_inline]] inline float sleef_exp(float x) {
  // 1. Results are 0 below -104 and inf above 89; limiting x keeps the steps in range. NaN stays.
  x = x < -150.0F ? -150.0F : x;
  x = x > 100.0F ? 100.0F : x;

  // 2. q = x / ln 2, rounded to even: adding 1.5 * 2^23 leaves the integer in the low bits.
  constexpr float kOneOverLn2 = 1.44269504088896340736F;
  constexpr float kRounder = 12582912.0F;
  const float rounded = x * kOneOverLn2 + kRounder;
  const float q = rounded - kRounder;
  const auto q_int =
      static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(rounded) - std::bit_cast<std::uint32_t>(kRounder));

  // 3. s = x - q ln 2, ln 2 in two parts.
  float s = fused(q, -0.693145751953125F, x);
  s = fused(q, -1.428606765330187045e-06F, s);

  // 4. e^s = 1 + s + s^2 u.
  float u = 0.000198527617612853646278381F;
  u = fused(u, s, 0.00139304355252534151077271F);
  u = fused(u, s, 0.00833336077630519866943359F);
  u = fused(u, s, 0.0416664853692054748535156F);
  u = fused(u, s, 0.166666671633720397949219F);
  u = fused(u, s, 0.5F);
  u = 1.0F + fused(s * s, u, s);

  // 5. Multiply by 2^q in two steps: 2^q may not be a float, and the result may be subnormal.
  const std::int32_t half = q_int >> 1;
  return u * power_of_two(half) * power_of_two(q_int - half);
}

void sleef_exp_each(std::span<float> values) {
  for (float& value : values) {
    value = sleef_exp(value);
  }
}

#if defined(__x86_64__)
/// The same for processors with AVX2, where a fused multiply-add is one instruction instead of a call.
[[gnu::target("avx2,fma")]] void sleef_exp_each_avx2(std::span<float> values) {
  for (float& value : values) {
    value = sleef_exp(value);
  }
}
#endif

}  // namespace

float softmax_exp(float x, Cpu cpu) { return cpu == Cpu::standard ? glibc::exp(x) : sleef_exp(x); }

void softmax_exp(std::span<float> values, Cpu cpu) {
  if (cpu == Cpu::standard) {
    glibc::exp(values);
    return;
  }
#if defined(__x86_64__)
  if (has_avx2()) {
    sleef_exp_each_avx2(values);
    return;
  }
#endif
  sleef_exp_each(values);
}

}  // namespace attn
