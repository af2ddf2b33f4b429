#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace attn::torch {

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

/// The first words of several seeds, computed together, which is faster. `words` has as many for each seed, one seed
/// after the other.
using Seeds = std::array<std::uint32_t, 8>;
void first_words(const Seeds& seeds, std::span<std::uint32_t> words);

}  // namespace attn::torch
