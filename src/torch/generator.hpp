#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "torch/mersenne_twister.hpp"

namespace attn::torch {

/// PyTorch's CPU generator: mt19937 with 32-bit draws, plus the one normal number that a small
/// `normal_` may leave over for the next (a Box-Muller pair has two).
class Generator {
 public:
  /// As `torch.manual_seed(seed)`: only the low 32 bits of the seed count. A negative Python seed
  /// is its two's complement, `static_cast<std::uint64_t>(seed)`.
  explicit Generator(std::uint64_t seed);

  /// Starts again from `seed`, as the constructor does, and forgets the left-over normal.
  void manual_seed(std::uint64_t seed);

  /// One draw: 32 uniform bits.
  [[nodiscard]] std::uint32_t random();

  /// As many draws as there is room for.
  void fill(std::span<std::uint32_t> draws);

  /// Two draws: 64 uniform bits, the first draw being the high word.
  [[nodiscard]] std::uint64_t random64();

  /// Passes over `draws` 32-bit draws. The left-over normal stays.
  void discard(std::uint64_t draws);

  /// Does the work of passing over, which is left to the next draw, now.
  void arrive();

  /// Hands out the left-over normal, if there is one, and forgets it.
  [[nodiscard]] std::optional<double> take_cached_normal();

  /// The left-over normal, if there is one, which stays.
  [[nodiscard]] std::optional<double> cached_normal() const { return cached_normal_; }

  /// Keeps `value` for the next small `normal_`.
  void cache_normal(double value);

  /// How many 32-bit draws there were since seeding.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// Whether all later draws are the same.
  friend bool operator==(const Generator& a, const Generator& b);

 private:
  MersenneTwister engine_;
  std::optional<double> cached_normal_;
  std::uint64_t count_ = 0;
  std::uint64_t passed_over_ = 0;  ///< draws that the engine has still to pass over: seeded again, it need not
};

}  // namespace attn::torch
