#pragma once

#include <cstdint>
#include <optional>

#include "torch/mersenne_twister.hpp"

namespace attn::verify {

/// numpy.random.RandomState, also behind np.random.seed. numpy's newer default_rng is not repeated.
class NumpyGenerator {
 public:
  /// The seed is from 0 to 2^32 - 1.
  explicit NumpyGenerator(std::uint32_t seed) : twister_(seed) {}

  /// In [0, 1): random_sample, random.
  double uniform();
  /// Mean 0, standard deviation 1: standard_normal.
  double normal();
  /// From 0 to `most`, which is below 2^32 - 1: randint(most + 1).
  std::uint32_t integer(std::uint32_t most);

 private:
  torch::MersenneTwister twister_;
  std::optional<double> left_over_;
};

}  // namespace attn::verify
