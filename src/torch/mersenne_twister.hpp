#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace attn::torch {

/// mt19937 (Matsumoto and Nishimura 1998), the words of std::mt19937. A new one seeds and mixes no more of its state
/// than is asked for: many seeds are looked at for a few words each.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed) { state_[0] = seed; }

  std::uint32_t operator()();
  void discard(std::uint64_t words);
  /// The next words, all of them.
  void fill(std::span<std::uint32_t> words);

  friend bool operator==(const MersenneTwister& a, const MersenneTwister& b) = default;

 private:
  static constexpr std::size_t size = 624;
  static constexpr std::size_t middle = 397;

  void seed_up_to(std::size_t end);
  void mix(std::size_t i);
  void mix_from(std::size_t first);

  std::array<std::uint32_t, size> state_{};
  std::size_t next_ = 0;    ///< the word to be given next
  std::size_t seeded_ = 1;  ///< how many words the seed has filled
  std::size_t mixed_ = 0;   ///< how many words of this round are mixed
};

}  // namespace attn::torch
