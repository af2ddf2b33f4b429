#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/kernels.hpp"

namespace attn::torch {

/// A seed as torch.manual_seed takes it, from -2^63 to 2^64 - 1: the generator receives a negative seed's two's
/// complement; messages show it as written.
class Seed {
 public:
  template <std::integral Integer>
  constexpr Seed(Integer value) : bits_(static_cast<std::uint64_t>(value)), is_negative_(std::cmp_less(value, 0)) {}

  /// The generator's seed.
  constexpr operator std::uint64_t() const { return bits_; }
  constexpr bool is_negative() const { return is_negative_; }
  /// The seed as written: "-1".
  std::string text() const;

 private:
  std::uint64_t bits_;
  bool is_negative_;
};

/// Parses a text that is entirely a seed; empty if it is not.
std::optional<Seed> parsed_seed(std::string_view text);

/// mt19937 (Matsumoto and Nishimura 1998), with the words of std::mt19937. It seeds and mixes only as much of its state
/// as is used, because a search tries many seeds for a few words each.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed) { state_[0] = seed; }

  std::uint32_t operator()();
  void discard(std::uint64_t words);
  /// Fills the span with the next words.
  void fill(std::span<std::uint32_t> words);

  friend bool operator==(const MersenneTwister& a, const MersenneTwister& b) = default;

 private:
  static constexpr std::size_t size = 624;
  static constexpr std::size_t middle = 397;

  void seed_up_to(std::size_t end);
  void mix(std::size_t i);
  void mix_from(std::size_t first);

  std::array<std::uint32_t, size> state_{};
  std::size_t next_ = 0;    ///< the next word to return
  std::size_t seeded_ = 1;  ///< number of words seeded
  std::size_t mixed_ = 0;   ///< number of words mixed in this round
};

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

/// `out.uniform_(from, to)`: one draw per element. `torch.rand` is from 0 to 1.
void uniform(Generator& generator, std::span<float> out, double from, double to, Cpu cpu);

/// `out.normal_()`, which is `torch.randn`: mean 0, standard deviation 1. Fewer than 16 elements are computed one by
/// one and may leave a normal in the generator; 16 or more are computed in blocks of 16.
void normal(Generator& generator, std::span<float> out, Cpu cpu);

/// Some rows of the matrix [num_embeddings, dim] that one `normal_()` fills: `out` [rows, dim] receives the rows named
/// by `rows`, in that order. The generator ends as if the whole matrix had been drawn, but work and memory grow only
/// with the requested rows (skipping a draw is cheap).
///
/// The matrix must have fewer than 2^63 elements, each entry of `rows` must be a row of the matrix, and `out` must have
/// room for rows times dim.
void normal_rows(Generator& generator, std::int64_t num_embeddings, std::int64_t dim,
                 std::span<const std::int64_t> rows, std::span<float> out, Cpu cpu);

/// `out.bernoulli_(p)`: each element is true with probability p, in [0, 1]. Draws nothing if `out` is empty. Dropout(d)
/// keeps the elements for which `bernoulli_(1 - d)` is true.
void bernoulli(Generator& generator, std::span<bool> out, double p, DropoutKernel kernel);

/// The elements from `first` on of a larger `bernoulli_` that begins at `start`.
void bernoulli_from(Waypoints& start, std::uint64_t first, std::span<bool> out, double p, DropoutKernel kernel);

/// The bound of nn.Linear's weight, which is uniform in [-bound, bound]. `in_features` is at least 1.
[[nodiscard]] double linear_weight_bound(std::int64_t in_features);

/// The bound of nn.Linear's bias, which is uniform in [-bound, bound] and drawn after the weight. `in_features` is at
/// least 1.
[[nodiscard]] double linear_bias_bound(std::int64_t in_features);

}  // namespace attn::torch
