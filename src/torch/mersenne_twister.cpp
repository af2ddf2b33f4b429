#include "torch/mersenne_twister.hpp"

#include <algorithm>

namespace attn::torch {

namespace {

/// A word of a new state, from the word before it.
[[gnu::always_inline]] inline std::uint32_t seeded(std::uint32_t before, std::size_t i) {
  return 1'812'433'253U * (before ^ (before >> 30U)) + static_cast<std::uint32_t>(i);
}

/// A word of the next round, from the word that it replaces, the next one, and one far behind.
[[gnu::always_inline]] inline std::uint32_t mixed(std::uint32_t word, std::uint32_t after, std::uint32_t far) {
  const std::uint32_t joined = (word & 0x80000000U) | (after & 0x7FFFFFFFU);
  return far ^ (joined >> 1U) ^ (0x9908B0DFU & (0U - (joined & 1U)));
}

/// The output form of a word.
[[gnu::always_inline]] inline std::uint32_t tempered(std::uint32_t word) {
  word ^= word >> 11U;
  word ^= (word << 7U) & 0x9D2C5680U;
  word ^= (word << 15U) & 0xEFC60000U;
  return word ^ (word >> 18U);
}

}  // namespace

void MersenneTwister::seed_up_to(std::size_t end) {
  for (; seeded_ < end; ++seeded_) {
    state_[seeded_] = seeded(state_[seeded_ - 1], seeded_);
  }
}

/// Computes the next round's word i. The words after it must be present, and those before it mixed.
void MersenneTwister::mix(std::size_t i) {
  const std::uint32_t far = state_[i + middle < size ? i + middle : i + middle - size];
  state_[i] = mixed(state_[i], state_[i + 1 < size ? i + 1 : 0], far);
}

/// Computes all words from `first` on, in loops without branches, which a compiler vectorises.
void MersenneTwister::mix_from(std::size_t first) {
  seed_up_to(size);
  std::uint32_t* const state = state_.data();
  std::size_t i = first;
  for (; i < size - middle; ++i) {
    state[i] = mixed(state[i], state[i + 1], state[i + middle]);
  }
  for (; i < size - 1; ++i) {
    state[i] = mixed(state[i], state[i + 1], state[i - (size - middle)]);
  }
  if (i < size) {
    mix(i);
  }
  mixed_ = size;
}

std::uint32_t MersenneTwister::operator()() {
  if (next_ == size) {
    mix_from(0);
    next_ = 0;
  }
  if (next_ == mixed_) {
    seed_up_to(std::min(next_ + middle + 1, size));
    mix(next_);
    ++mixed_;
  }
  return tempered(state_[next_++]);
}

void MersenneTwister::fill(std::span<std::uint32_t> words) {
  while (!words.empty()) {
    if (next_ == size) {
      mix_from(0);
      next_ = 0;
    }
    const std::size_t count = std::min(words.size(), size - next_);
    const std::size_t first = next_;
    discard(count);
    std::transform(state_.data() + first, state_.data() + first + count, words.data(), tempered);
    words = words.subspan(count);
  }
}

void MersenneTwister::discard(std::uint64_t words) {
  while (words > size - next_) {
    words -= size - next_;
    mix_from(mixed_);
    mix_from(0);
    next_ = 0;
  }
  next_ += static_cast<std::size_t>(words);
  for (; mixed_ < next_; ++mixed_) {
    seed_up_to(std::min(mixed_ + middle + 1, size));
    mix(mixed_);
  }
}

void first_words(const Seeds& seeds, std::span<std::uint32_t> words) {
  constexpr std::size_t size = 624;
  constexpr std::size_t middle = 397;
  const std::size_t count = words.size() / seeds.size();
  std::array<Seeds, size> state;
  state[0] = seeds;
  for (std::size_t i = 1; i < std::min(size, middle + count + 1); ++i) {
    for (std::size_t lane = 0; lane < seeds.size(); ++lane) {
      state[i][lane] = seeded(state[i - 1][lane], i);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = k % size;
    const Seeds& after = state[(i + 1) % size];
    const Seeds& far = state[(i + middle) % size];
    for (std::size_t lane = 0; lane < seeds.size(); ++lane) {
      state[i][lane] = mixed(state[i][lane], after[lane], far[lane]);
      words[lane * count + k] = tempered(state[i][lane]);
    }
  }
}

}  // namespace attn::torch
