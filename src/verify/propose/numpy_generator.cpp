#include "verify/propose/numpy_generator.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace attn::verify {

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

}  // namespace attn::verify
