#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "torch/mersenne_twister.hpp"

namespace attn::torch {

/// PyTorch's CPU generator: mt19937 with 32-bit draws, plus the one normal number that a small `normal_` may leave over
/// for the next one (a Box-Muller pair has two).
class Generator {
 public:
  /// Seeds the generator as `torch.manual_seed(seed)` does: only the low 32 bits count. A negative Python seed is its
  /// two's complement, `static_cast<std::uint64_t>(seed)`.
  explicit Generator(std::uint64_t seed);

  /// Seeds again, as the constructor does, and discards the left-over normal.
  void manual_seed(std::uint64_t seed);

  /// Draws once: 32 uniform bits.
  [[nodiscard]] std::uint32_t random();

  /// Fills the span, one draw per word.
  void fill(std::span<std::uint32_t> draws);

  /// Draws twice: 64 uniform bits, with the first draw as the high word.
  [[nodiscard]] std::uint64_t random64();

  /// Skips this many 32-bit draws. The left-over normal stays.
  void discard(std::uint64_t draws);

  /// Performs the skipping now instead of at the next draw.
  void arrive();

  /// Returns the left-over normal, if there is one, and discards it.
  [[nodiscard]] std::optional<double> take_cached_normal();

  /// Returns the left-over normal, if there is one, and keeps it.
  [[nodiscard]] std::optional<double> cached_normal() const { return cached_normal_; }

  /// Leaves `value` over for the next small `normal_`.
  void cache_normal(double value);

  /// The number of 32-bit draws since seeding.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// Returns true if all later draws are equal.
  friend bool operator==(const Generator& a, const Generator& b);

 private:
  MersenneTwister engine_;
  std::optional<double> cached_normal_;
  std::uint64_t count_ = 0;
  std::uint64_t passed_over_ = 0;  ///< draws still to be skipped by the engine; seeding again makes that unnecessary
};

/// Returns copies of a generator advanced by any number of draws: it advances once and saves the states on the way.
class Waypoints {
 public:
  explicit Waypoints(const Generator& start) : marks_{start} {}

  /// The generator after this many 32-bit draws. Thread-safe.
  [[nodiscard]] Generator after(std::uint64_t draws);

 private:
  static constexpr std::uint64_t between = std::uint64_t{1} << 19U;

  std::mutex mutex_;
  std::vector<Generator> marks_;
};

}  // namespace attn::torch
