// Functions that must not depend on the C library: against glibc's own, where its bits are those of PyTorch's, and
// against its long double, of 64 bits and more.

#include "tensor/math.hpp"

#include "unit.hpp"

using namespace attn;

namespace {

bool is_same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

bool has_glibc_of_pytorch() {
#if defined(__GLIBC__) && defined(__x86_64__)
  if (has_avx2()) {
    return true;
  }
#endif
  MESSAGE("nothing to compare with: this C library, or this processor, is not that of PyTorch's bits");
  return false;
}

/// How many of so many numbers' results are not the exact ones, rounded, and how many are not the C library's.
struct Checked {
  std::size_t wrong = 0;
  std::size_t other = 0;
};

template <class Ours, class Long, class Theirs, class Draw>
Checked checked(std::size_t count, Ours ours, Long exact, Theirs theirs, Draw draw) {
  Checked result;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = draw();
    const double value = ours(x);
    const long double expected = exact(static_cast<long double>(x));
    const int exponent = value == 0.0 ? std::numeric_limits<double>::min_exponent : std::ilogb(value);
    const long double unit = std::ldexp(1.0L, exponent - 52);
    const bool is_nearest = std::abs(static_cast<long double>(value) - expected) <= 0.501L * unit;
    result.wrong += is_nearest || static_cast<long double>(value) == expected ? 0U : 1U;
    result.other += value == theirs(x) ? 0U : 1U;
  }
  return result;
}

}  // namespace

TEST_CASE("exp is glibc's expf in every bit") {
  if (!has_glibc_of_pytorch()) {
    return;
  }
  // Every 16th float; all of them, tried once, took half a minute.
  constexpr std::uint32_t step = 16;
  std::size_t differs = 0;
  std::vector<float> values((std::size_t{1} << 16U) / step);
  for (std::uint32_t upper = 0; upper < 1U << 16U; ++upper) {
    if (!test::is_in_sample(upper)) {
      continue;
    }
    const auto at = [&](std::size_t i) {
      return std::bit_cast<float>((upper << 16U) + static_cast<std::uint32_t>(i) * step + upper % step);
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = at(i);
    }
    softmax_exp(values, Cpu::standard);
    for (std::size_t i = 0; i < values.size(); ++i) {
      differs += is_same(values[i], std::exp(at(i))) ? 0U : 1U;
    }
    differs += is_same(glibc::exp(at(0)), values[0]) ? 0U : 1U;
  }
  CHECK(differs == 0);
}

TEST_CASE("log, sin and cos are glibc's logf, sinf and cosf for every number that a normal is made from") {
  if (!has_glibc_of_pytorch()) {
    return;
  }
  constexpr std::uint32_t step = 7;  // all of them were tried once
  std::size_t differs = 0;
  for (std::uint32_t draw = static_cast<std::uint32_t>(test::environment_number("ATTN_TEST_DAY", 0)) % step;
       draw < 1U << 24U; draw += step) {
    const float u = static_cast<float>(draw) * 0x1p-24F;
    const auto angle = static_cast<float>(2.0 * std::numbers::pi * static_cast<double>(u));
    const auto [sin, cos] = glibc::sincos(angle);
    differs += is_same(glibc::log(1.0F - u), std::log(1.0F - u)) ? 0U : 1U;
    differs += is_same(sin, std::sin(angle)) ? 0U : 1U;
    differs += is_same(cos, std::cos(angle)) ? 0U : 1U;
  }
  CHECK(differs == 0);
}

TEST_CASE("functions of doubles are rounded correctly") {
  std::mt19937_64 engine(test::environment_number("ATTN_TEST_DAY", 1));
  const auto unit = [&] { return static_cast<double>(engine() >> 11U) * 0x1p-53; };
  const auto small = [&] { return unit() * std::ldexp(1.0, -static_cast<int>(engine() % 50)); };
  constexpr std::size_t count = 20'000;

  const Checked exp = checked(
      count, rounded::exp, [](long double x) { return std::exp(x); }, [](double x) { return std::exp(x); },
      [&] { return 60 * unit() - 30; });
  CHECK(exp.wrong == 0);
  CHECK(exp.other < count / 10);
  const Checked log = checked(
      count, rounded::log, [](long double x) { return std::log(x); }, [](double x) { return std::log1p(x - 1); },
      [&] { return 1 - small(); });
  CHECK(log.wrong == 0);
  CHECK(log.other < count / 5);
  const Checked sin = checked(
      count, rounded::sin, [](long double x) { return std::sin(x); }, [](double x) { return std::sin(x); },
      [&] { return 1000 * small(); });
  CHECK(sin.wrong == 0);
  CHECK(sin.other < count / 10);
  const Checked cos = checked(
      count, rounded::cos, [](long double x) { return std::cos(x); }, [](double x) { return std::cos(x); },
      [&] { return 1000 * small(); });
  CHECK(cos.wrong == 0);
  CHECK(cos.other < count / 10);
  const Checked pow = checked(
      count, [](double x) { return rounded::pow(10'000, x); }, [](long double x) { return std::pow(10'000.0L, x); },
      [](double x) { return std::pow(10'000, x); }, [&] { return -2 * unit(); });
  CHECK(pow.wrong == 0);
  CHECK(pow.other < count / 10);
}

TEST_CASE("functions of doubles at the ends of their range") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(rounded::exp(0) == 1);
  CHECK(rounded::exp(-infinity) == 0);
  CHECK(rounded::exp(infinity) == infinity);
  CHECK(rounded::exp(-800) == 0);
  CHECK(std::isnan(rounded::exp(std::numeric_limits<double>::quiet_NaN())));
  CHECK(rounded::log(1) == 0);
  CHECK(rounded::sin(0) == 0);
  CHECK(rounded::cos(0) == 1);
  CHECK(rounded::pow(4, 0.5) == 2);
  CHECK(rounded::pow(10'000, 0) == 1);
}
