#include "torch/digits.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace {

using attn::torch::Point;
using attn::torch::write_fixed;
using attn::torch::write_scientific;

/// What the standard library writes of the double, which has the float's value.
std::string expected(float value, std::chars_format format, int digits) {
  std::array<char, 400> text{};
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), static_cast<double>(value), format, digits).ptr};
}

/// How many texts of the value there are, and in how many of them it differs.
struct Tally {
  int written = 0;
  int wrong = 0;

  void compare(float value, int digits) {
    std::array<char, 64> text{};
    char* const end = text.data() + text.size();
    const auto count = [&](const char* begin, std::chars_format format) {
      if (begin != nullptr) {
        ++written;
        wrong += std::string(begin, static_cast<const char*>(end)) != expected(value, format, digits) ? 1 : 0;
      }
    };
    count(write_fixed(end, value, digits, Point::none), std::chars_format::fixed);
    count(write_scientific(end, value, digits), std::chars_format::scientific);
  }
};

}  // namespace

TEST_CASE("digits by integers are the standard library's: any float, any number of digits") {
  std::mt19937 generator(2026);
  Tally tally;
  for (int i = 0; i < 300'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(generator()));
    tally.compare(value, 4);
    tally.compare(value, i % 20);
  }
  CHECK(tally.wrong == 0);
  CHECK(tally.written > 600'000);
}

TEST_CASE("digits by integers are the standard library's: ties, denormals, powers and what has no digits") {
  Tally tally;
  for (int exponent = -40; exponent < 10; ++exponent) {
    for (int odd = 1; odd < 400; odd += 2) {
      for (const int digits : {0, 1, 2, 3, 4, 5, 8, 11}) {
        tally.compare(std::ldexp(static_cast<float>(odd), exponent), digits);
        tally.compare(-std::ldexp(static_cast<float>(odd), exponent), digits);
      }
    }
  }
  for (std::uint32_t bits = 0; bits < 10'000; ++bits) {
    tally.compare(std::bit_cast<float>(bits), 4);
  }
  for (float power = 1e-38F; power < 1e38F; power *= 10) {
    for (const float value : {std::nextafter(power, 0.0F), power, std::nextafter(power, HUGE_VALF), 9.99995F * power}) {
      tally.compare(value, 4);
      tally.compare(-value, 0);
    }
  }
  using Limits = std::numeric_limits<float>;
  for (const float value : {0.0F, -0.0F, Limits::min(), Limits::max(), Limits::denorm_min(), Limits::infinity(),
                            -Limits::infinity(), Limits::quiet_NaN()}) {
    for (int digits = 0; digits < 20; ++digits) {
      tally.compare(value, digits);
    }
  }
  CHECK(tally.wrong == 0);
  CHECK(tally.written > 300'000);
  std::array<char, 64> text{};
  CHECK(write_fixed(text.data() + text.size(), Limits::infinity(), 4, Point::none) == nullptr);
  CHECK(write_scientific(text.data() + text.size(), -Limits::quiet_NaN(), 4) == nullptr);
}
