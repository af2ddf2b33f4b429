#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "torch/mersenne_twister.hpp"

namespace attn::verify {

/// numpy.random.RandomState, also behind np.random.seed. numpy's newer default_rng is not repeated.
class NumpyGenerator {
 public:
  /// The seed is from 0 to 2^32 - 1.
  explicit NumpyGenerator(std::uint32_t seed) : twister_(seed) {}

  /// In [0, 1): random_sample, random. From numpy/random/src/mt19937: genrand_res53.
  double uniform() {
    const std::uint32_t high = twister_() >> 5U;
    const std::uint32_t low = twister_() >> 6U;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

  /// Mean 0, standard deviation 1: standard_normal. From numpy/random/src/legacy: legacy_gauss, Marsaglia's polar
  /// method.
  double normal() {
    if (left_over_) {
      return *std::exchange(left_over_, {});
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

  /// From 0 to `most`, which is below 2^32 - 1: randint(most + 1). From numpy/random/src/distributions:
  /// buffered_bounded_masked_uint32.
  std::uint32_t integer(std::uint32_t most) {
    const auto mask = most == 0 ? 0 : std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(most);
    for (;;) {
      if (const std::uint32_t value = most == 0 ? 0 : twister_() & mask; value <= most) {
        return value;
      }
    }
  }

 private:
  torch::MersenneTwister twister_;
  std::optional<double> left_over_;
};

}  // namespace attn::verify
