#pragma once

#include <cstdint>
#include <optional>

#include "torch/mersenne_twister.hpp"

namespace attn::verify {

/// numpy's legacy generator, numpy.random.RandomState, also behind np.random.seed: mt19937, doubles of 53 bits, and a
/// cache for the second normal number of a pair.
class NumpyGenerator {
 public:
  /// RandomState(seed); the seed is from 0 to 2^32 - 1.
  explicit NumpyGenerator(std::uint32_t seed) : engine_(seed) {}

  /// In [0, 1): random_sample.
  double uniform();
  /// Mean 0, standard deviation 1: standard_normal.
  double normal();
  /// From 0 to `most`, which is below 2^32 - 1: randint(most + 1).
  std::uint32_t integer(std::uint32_t most);

 private:
  torch::MersenneTwister engine_;
  std::optional<double> left_over_;
};

}  // namespace attn::verify
