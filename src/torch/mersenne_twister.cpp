#include "torch/mersenne_twister.hpp"

#include <algorithm>

namespace attn::torch {

void MersenneTwister::seed_up_to(std::size_t end) {
  for (; seeded_ < end; ++seeded_) {
    const std::uint32_t before = state_[seeded_ - 1];
    state_[seeded_] = 1'812'433'253U * (before ^ (before >> 30U)) + static_cast<std::uint32_t>(seeded_);
  }
}

/// The word of the next round. Those after it must be there, and those before it be mixed.
void MersenneTwister::mix(std::size_t i) {
  const std::uint32_t after = state_[i + 1 < size ? i + 1 : 0];
  const std::uint32_t far = state_[i + middle < size ? i + middle : i + middle - size];
  const std::uint32_t joined = (state_[i] & 0x80000000U) | (after & 0x7FFFFFFFU);
  state_[i] = far ^ (joined >> 1U) ^ ((joined & 1U) != 0 ? 0x9908B0DFU : 0U);
}

/// All words from there on.
void MersenneTwister::mix_from(std::size_t first) {
  seed_up_to(size);
  for (std::size_t i = first; i < size; ++i) {
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
  std::uint32_t word = state_[next_++];
  word ^= word >> 11U;
  word ^= (word << 7U) & 0x9D2C5680U;
  word ^= (word << 15U) & 0xEFC60000U;
  return word ^ (word >> 18U);
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

}  // namespace attn::torch
