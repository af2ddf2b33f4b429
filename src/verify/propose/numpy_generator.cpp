#include "verify/propose/numpy_generator.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

namespace attn::verify {
namespace {

/// numpy/random/bit_generator.pyx: SeedSequence(seed).generate_state(4, uint64)
std::array<std::uint64_t, 4> seed_sequence(std::uint64_t seed) {
  constexpr unsigned half = 16;
  std::uint32_t constant = 0x43b0d7e5U;
  const auto hashed = [&](std::uint32_t value) {
    value ^= constant;
    constant *= 0x931e8875U;
    value *= constant;
    return value ^ (value >> half);
  };
  const std::array<std::uint32_t, 4> entropy{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
  std::array<std::uint32_t, 4> pool{};
  for (std::size_t i = 0; i < pool.size(); ++i) {
    pool[i] = hashed(entropy[i]);
  }
  for (std::size_t from = 0; from < pool.size(); ++from) {
    for (std::size_t to = 0; to < pool.size(); ++to) {
      if (from != to) {
        const std::uint32_t mixed = 0xca01f9ddU * pool[to] - 0x4973f715U * hashed(pool[from]);
        pool[to] = mixed ^ (mixed >> half);
      }
    }
  }
  std::array<std::uint64_t, 4> state{};
  constant = 0x8b51f9ddU;
  for (std::size_t i = 0; i < 2 * state.size(); ++i) {
    std::uint32_t value = pool[i % pool.size()] ^ constant;
    constant *= 0x58f38dedU;
    value *= constant;
    value ^= value >> half;
    state[i / 2] |= static_cast<std::uint64_t>(value) << (i % 2 * 32U);
  }
  return state;
}

/// numpy/random/src/distributions/ziggurat_constants.h, by the construction of Marsaglia and Tsang (2000): 256 layers
/// of one area, of which the lowest has the tail.
struct Ziggurat {
  static constexpr double tail = 3.6541528853610087963519472518;
  static constexpr std::size_t layers = 256;

  std::array<std::uint64_t, layers> inside{};  ///< what lies below this is under the curve
  std::array<double, layers> width{};          ///< by 2^52
  std::array<double, layers> height{};

  Ziggurat() {
    constexpr double scale = 4503599627370496.0;  // 2^52
    const auto curve = [](double x) { return std::exp(-0.5 * x * x); };
    const double area = tail * curve(tail) + std::sqrt(std::numbers::pi / 2) * std::erfc(tail / std::numbers::sqrt2);
    double x = tail;
    double below = tail;
    const double lowest = area / curve(tail);
    inside[0] = static_cast<std::uint64_t>(tail / lowest * scale);
    width[0] = lowest / scale;
    width[layers - 1] = tail / scale;
    height[0] = 1;
    height[layers - 1] = curve(tail);
    for (std::size_t i = layers - 2; i >= 1; --i) {
      x = std::sqrt(-2 * std::log(area / x + curve(x)));
      inside[i + 1] = static_cast<std::uint64_t>(x / below * scale);
      below = x;
      height[i] = curve(x);
      width[i] = x / scale;
    }
  }
};

}  // namespace

// numpy/random/src/mt19937: genrand_res53
double NumpyGenerator::uniform() {
  const std::uint32_t high = engine_() >> 5U;
  const std::uint32_t low = engine_() >> 6U;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

// numpy/random/src/legacy: legacy_gauss, Marsaglia's polar method
double NumpyGenerator::normal() {
  if (left_over_) {
    return *std::exchange(left_over_, std::nullopt);
  }
  double x1 = 0;
  double x2 = 0;
  double square = 0;
  do {
    x1 = 2 * uniform() - 1;
    x2 = 2 * uniform() - 1;
    square = x1 * x1 + x2 * x2;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * std::log(square) / square);
  left_over_ = factor * x1;
  return factor * x2;
}

// numpy/random/src/distributions: buffered_bounded_masked_uint32
std::uint32_t NumpyGenerator::integer(std::uint32_t most) {
  if (most == 0) {
    return 0;
  }
  const std::uint32_t mask = std::numeric_limits<std::uint32_t>::max() >> static_cast<unsigned>(std::countl_zero(most));
  std::uint32_t value = 0;
  do {
    value = engine_() & mask;
  } while (value > most);
  return value;
}

// numpy/random/src/pcg64
Pcg64Generator::Pcg64Generator(std::uint64_t seed) {
  const std::array<std::uint64_t, 4> words = seed_sequence(seed);
  const auto joined = [&](std::size_t i) { return static_cast<Wide>(words[i]) << 64U | words[i + 1]; };
  increment_ = joined(2) << 1U | 1U;
  step();
  state_ += joined(0);
  step();
}

void Pcg64Generator::step() {
  constexpr Wide multiplier = static_cast<Wide>(0x2360ed051fc65da4U) << 64U | 0x4385df649fccf645U;
  state_ = state_ * multiplier + increment_;
}

std::uint64_t Pcg64Generator::next() {
  step();
  const auto folded = static_cast<std::uint64_t>(state_ >> 64U) ^ static_cast<std::uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122U));
}

std::uint32_t Pcg64Generator::next_half() {
  if (left_over_) {
    return *std::exchange(left_over_, std::nullopt);
  }
  const std::uint64_t whole = next();
  left_over_ = static_cast<std::uint32_t>(whole >> 32U);
  return static_cast<std::uint32_t>(whole);
}

double Pcg64Generator::uniform() { return static_cast<double>(next() >> 11U) / 9007199254740992.0; }

// numpy/random/src/distributions: random_standard_normal
double Pcg64Generator::normal() {
  static const Ziggurat ziggurat;
  for (;;) {
    const std::uint64_t bits = next();
    const std::size_t layer = bits & 0xffU;
    const bool is_negative = (bits >> 8U & 1U) != 0;
    const std::uint64_t place = bits >> 9U & 0xfffffffffffffU;
    const double x = (is_negative ? -1 : 1) * static_cast<double>(place) * ziggurat.width[layer];
    if (place < ziggurat.inside[layer]) {
      return x;
    }
    if (layer > 0) {
      const double step = ziggurat.height[layer - 1] - ziggurat.height[layer];
      if (step * uniform() + ziggurat.height[layer] < std::exp(-0.5 * x * x)) {
        return x;
      }
      continue;
    }
    for (;;) {
      const double beyond = -std::log1p(-uniform()) / Ziggurat::tail;
      const double height = -std::log1p(-uniform());
      if (2 * height > beyond * beyond) {
        return (place >> 8U & 1U) != 0 ? -(Ziggurat::tail + beyond) : Ziggurat::tail + beyond;
      }
    }
  }
}

// numpy/random/src/distributions: buffered_bounded_lemire_uint32
std::uint32_t Pcg64Generator::integer(std::uint32_t most) {
  if (most == 0) {
    return 0;
  }
  const std::uint64_t count = static_cast<std::uint64_t>(most) + 1;
  const auto threshold = (std::numeric_limits<std::uint32_t>::max() - most) % count;
  std::uint64_t product = 0;
  do {
    product = next_half() * count;
  } while (static_cast<std::uint32_t>(product) < threshold);
  return static_cast<std::uint32_t>(product >> 32U);
}

}  // namespace attn::verify
