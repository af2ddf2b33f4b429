#include "verify/program/numpy_generator.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace attn::verify {

// numpy/random/src/mt19937: genrand_res53
double NumpyGenerator::uniform() {
  const std::uint32_t high = twister_() >> 5U;
  const std::uint32_t low = twister_() >> 6U;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

// numpy/random/src/legacy: legacy_gauss, Marsaglia's polar method
double NumpyGenerator::normal() {
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

// numpy/random/src/distributions: buffered_bounded_masked_uint32
std::uint32_t NumpyGenerator::integer(std::uint32_t most) {
  const auto mask = most == 0 ? 0 : std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(most);
  for (;;) {
    if (const std::uint32_t value = most == 0 ? 0 : twister_() & mask; value <= most) {
      return value;
    }
  }
}

}  // namespace attn::verify
