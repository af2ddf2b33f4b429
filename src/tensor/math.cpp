#include "tensor/math.hpp"

#include <array>
#include <cstddef>
#include <limits>

#if defined(__x86_64__) && defined(__has_include) && !defined(__clang__)  // clang does not accept the header as C++
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

// The C library has already queried the processor. The compiler's functions query it again, which is slow in a virtual
// machine.
#if defined(CPU_FEATURE_ACTIVE)
#define ATTN_RUNS(compilers, librarys) CPU_FEATURE_ACTIVE(librarys)
#elif defined(__x86_64__)
#define ATTN_RUNS(compilers, librarys) (__builtin_cpu_init(), __builtin_cpu_supports(compilers) != 0)
#else
#define ATTN_RUNS(compilers, librarys) false
#endif

// All are computed in double and rounded to float in the end. The algorithms and their constants are Szabolcs Nagy's
// and Wilco Dijkstra's (Arm Optimized Routines), which glibc took over; the operations are fused as its compiler fused
// them.

namespace attn::glibc {
namespace {

// ---- The exponential (glibc: e_expf.c) --------------------------------------------------------------

/// 2^(i/32), in bits, less i * 2^47, so that adding k * 2^47 makes it 2^(k/32) for any k = i modulo 32.
constexpr std::array<std::uint64_t, 32> roots_of_two = {
    0x3ff0000000000000, 0x3fefd9b0d3158574, 0x3fefb5586cf9890f, 0x3fef9301d0125b51, 0x3fef72b83c7d517b,
    0x3fef54873168b9aa, 0x3fef387a6e756238, 0x3fef1e9df51fdee1, 0x3fef06fe0a31b715, 0x3feef1a7373aa9cb,
    0x3feedea64c123422, 0x3feece086061892d, 0x3feebfdad5362a27, 0x3feeb42b569d4f82, 0x3feeab07dd485429,
    0x3feea47eb03a5585, 0x3feea09e667f3bcd, 0x3fee9f75e8ec5f74, 0x3feea11473eb0187, 0x3feea589994cce13,
    0x3feeace5422aa0db, 0x3feeb737b0cdc5e5, 0x3feec49182a3f090, 0x3feed503b23e255d, 0x3feee89f995ad3ad,
    0x3feeff76f2fb5e47, 0x3fef199bdd85529c, 0x3fef3720dcef9069, 0x3fef5818dcfba487, 0x3fef7c97337b9b5f,
    0x3fefa4afa2a490da, 0x3fefd0765b6e4540};

[[gnu::always_inline]] inline float exp_in_range(float x) {
  // 1. x = (k + r) ln 2 / 32, k whole: adding 1.5 * 2^52 leaves it in the low bits.
  constexpr double shares_of_ln_2 = 0x1.71547652b82fep+5;
  constexpr double rounder = 0x1.8p+52;
  const double rounded = std::fma(shares_of_ln_2, static_cast<double>(x), rounder);
  const auto k = std::bit_cast<std::uint64_t>(rounded);
  const double r = std::fma(shares_of_ln_2, static_cast<double>(x), -(rounded - rounder));

  // 2. e^x = 2^(k/32) 2^(r/32), the second by a polynomial of r.
  const double power = std::bit_cast<double>(roots_of_two[k % 32] + (k << 47U));
  const double upper = std::fma(0x1.c6af84b912394p-20, r, 0x1.ebfce50fac4f3p-13);
  const double lower = std::fma(0x1.62e42ff0c52d6p-6, r, 1.0);
  return static_cast<float>(std::fma(upper, r * r, lower) * power);
}

/// For any x.
[[gnu::always_inline]] inline float exp_of(float x) {
  constexpr float least = -0x1.9fe368p6F;  // below it e^x is less than half of the smallest float
  constexpr float most = 0x1.62e42ep6F;
  if (x > most) {
    return std::numeric_limits<float>::infinity();
  }
  if (x < least) {
    return 0;
  }
  return x == x ? exp_in_range(x) : x;
}

// ---- The logarithm (glibc: e_logf.c) ----------------------------------------------------------------

/// Near a number c in each sixteenth of [0.7, 1.4): 1/c and ln c.
struct Near {
  double inverse;
  double log;
};
constexpr std::array<Near, 16> near = {{{0x1.661ec79f8f3bep+0, -0x1.57bf7808caadep-2},
                                        {0x1.571ed4aaf883dp+0, -0x1.2bef0a7c06ddbp-2},
                                        {0x1.49539f0f010bp+0, -0x1.01eae7f513a67p-2},
                                        {0x1.3c995b0b80385p+0, -0x1.b31d8a68224e9p-3},
                                        {0x1.30d190c8864a5p+0, -0x1.6574f0ac07758p-3},
                                        {0x1.25e227b0b8eap+0, -0x1.1aa2bc79c81p-3},
                                        {0x1.1bb4a4a1a343fp+0, -0x1.a4e76ce8c0e5ep-4},
                                        {0x1.12358f08ae5bap+0, -0x1.1973c5a611cccp-4},
                                        {0x1.0953f419900a7p+0, -0x1.252f438e10c1ep-5},
                                        {0x1p+0, 0x0p+0},
                                        {0x1.e608cfd9a47acp-1, 0x1.aa5aa5df25984p-5},
                                        {0x1.ca4b31f026aap-1, 0x1.c5e53aa362eb4p-4},
                                        {0x1.b2036576afce6p-1, 0x1.526e57720db08p-3},
                                        {0x1.9c2d163a1aa2dp-1, 0x1.bc2860d22477p-3},
                                        {0x1.886e6037841edp-1, 0x1.1058bc8a07ee1p-2},
                                        {0x1.767dcf5534862p-1, 0x1.4043057b6ee09p-2}}};

}  // namespace

float exp(float x) { return exp_of(x); }

float log(float x) {
  // 1. x = z 2^k, z near a number c of the table.
  constexpr std::uint32_t bits_of_least = 0x3f330000;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t above_least = bits - bits_of_least;
  const auto [inverse, log_of_c] = near[(above_least >> 19U) % 16];
  const std::int32_t k = static_cast<std::int32_t>(above_least) >> 23;
  const auto z = static_cast<double>(std::bit_cast<float>(bits - (above_least & 0xff800000U)));

  // 2. ln x = k ln 2 + ln c + ln(1 + r).
  const double r = std::fma(z, inverse, -1.0);
  const double whole = std::fma(static_cast<double>(k), 0x1.62e42fefa39efp-1, log_of_c);
  const double r2 = r * r;
  const double upper = std::fma(-0x1.00ea348b88334p-2, r2, std::fma(0x1.5575b0be00b6ap-2, r, -0x1.ffffef20a4123p-2));
  return x == 1.0F ? 0.0F : static_cast<float>(std::fma(r2, upper, r + whole));
}

// (glibc: sincosf_poly.h, s_sincosf.h)
SinCos sincos(float x) {
  // 1. x = n pi/2 + r.
  double r = x;
  std::int32_t n = 0;
  if (std::abs(x) >= 0x1.921fb6p-1F) {
    constexpr double quarters_of_turn = 0x1.45f306dc9c883p+23;  // 2^24 * 2/pi
    n = (static_cast<std::int32_t>(r * quarters_of_turn) + 0x800000) >> 24;
    r = std::fma(-static_cast<double>(n), 0x1.921fb54442d18p+0, r);
  }

  // 2. Evaluate both polynomials of r.
  const double r2 = r * r;
  const double r3 = r2 * r;
  const double r4 = r2 * r2;
  const double upper_sin = std::fma(-0x1.994eb3774cf24p-13, r2, 0x1.1107605230bc4p-7);
  const double sin = std::fma(upper_sin, r2 * r3, std::fma(r3, -0x1.555545995a603p-3, r));
  const double upper_cos = std::fma(0x1.99343027bf8c3p-16, r2, -0x1.6c087e89a359dp-10);
  const double lower_cos = std::fma(r4, 0x1.55553e1068f19p-5, std::fma(r2, -0x1.ffffffd0c621cp-2, 1.0));
  const double cos = std::fma(upper_cos, r2 * r4, lower_cos);

  // 3. Return to the quarter of x.
  const auto s = static_cast<float>(sin);
  const auto c = static_cast<float>(cos);
  switch (n & 3) {
    case 0: return {s, c};
    case 1: return {c, -s};
    case 2: return {-s, -c};
    default: return {-c, s};
  }
}

}  // namespace attn::glibc

namespace attn {

bool has_avx2() { return ATTN_RUNS("avx2", AVX2) && ATTN_RUNS("fma", FMA); }

bool has_avx512() {
  return has_avx2() && ATTN_RUNS("avx512f", AVX512F) && ATTN_RUNS("avx512cd", AVX512CD) &&
         ATTN_RUNS("avx512bw", AVX512BW) && ATTN_RUNS("avx512dq", AVX512DQ) && ATTN_RUNS("avx512vl", AVX512VL);
}

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

struct SleefExp {
  [[gnu::always_inline]] float operator()(float x) const { return sleef_exp(x); }
};
struct GlibcExp {
  [[gnu::always_inline]] float operator()(float x) const { return glibc::exp_of(x); }
};

template <class Exp>
[[gnu::always_inline]] inline void exp_each(std::span<float> values) {
  for (float& value : values) {
    value = Exp()(value);
  }
}

#if defined(__x86_64__)
/// The same for processors with AVX2, where a fused multiply-add is one instruction instead of a call.
template <class Exp>
[[gnu::target("avx2,fma")]] void exp_each_avx2(std::span<float> values) {
  exp_each<Exp>(values);
}
#endif

template <class Exp>
void exp_anywhere(std::span<float> values) {
#if defined(__x86_64__)
  if (has_avx2()) {
    exp_each_avx2<Exp>(values);
    return;
  }
#endif
  exp_each<Exp>(values);
}

}  // namespace

float softmax_exp(float x, Cpu cpu) { return cpu == Cpu::standard ? glibc::exp(x) : sleef_exp(x); }

void softmax_exp(std::span<float> values, Cpu cpu) {
  cpu == Cpu::standard ? exp_anywhere<GlibcExp>(values) : exp_anywhere<SleefExp>(values);
}

}  // namespace attn
