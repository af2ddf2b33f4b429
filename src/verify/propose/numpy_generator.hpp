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

/// numpy.random.default_rng: PCG64 (XSL-RR 128/64), seeded through a SeedSequence; its normals are drawn by a ziggurat.
class Pcg64Generator {
 public:
  /// default_rng(seed)
  explicit Pcg64Generator(std::uint64_t seed);

  /// In [0, 1): random.
  double uniform();
  /// Mean 0, standard deviation 1: standard_normal.
  double normal();
  /// From 0 to `most`, which is below 2^32 - 1: integers(most + 1).
  std::uint32_t integer(std::uint32_t most);

 private:
  __extension__ using Wide = unsigned __int128;

  void step();
  std::uint64_t next();
  std::uint32_t next_half();

  Wide state_ = 0;
  Wide increment_ = 0;
  std::optional<std::uint32_t> left_over_;
};

}  // namespace attn::verify
