#include "torch/generator.hpp"

#include <algorithm>

#include "text/numbers.hpp"

namespace attn::torch {
namespace {

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
    const std::uint32_t before = state_[seeded_ - 1];
    state_[seeded_] = 1'812'433'253U * (before ^ (before >> 30U)) + static_cast<std::uint32_t>(seeded_);
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

Generator::Generator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

void Generator::manual_seed(std::uint64_t seed) {
  engine_ = MersenneTwister(static_cast<std::uint32_t>(seed));
  cached_normal_.reset();
  count_ = 0;
  passed_over_ = 0;
}

std::uint32_t Generator::random() {
  ++count_;
  arrive();
  return engine_();
}

void Generator::fill(std::span<std::uint32_t> draws) {
  count_ += draws.size();
  arrive();
  engine_.fill(draws);
}

std::uint64_t Generator::random64() {
  const std::uint64_t high = random();
  const std::uint64_t low = random();
  return (high << 32U) | low;
}

void Generator::discard(std::uint64_t draws) {
  count_ += draws;
  passed_over_ += draws;
}

void Generator::arrive() { engine_.discard(std::exchange(passed_over_, 0)); }

std::optional<double> Generator::take_cached_normal() { return std::exchange(cached_normal_, std::nullopt); }

bool operator==(const Generator& a, const Generator& b) {
  const auto engine = [](const Generator& one) {
    MersenneTwister moved = one.engine_;
    moved.discard(one.passed_over_);
    return moved;
  };
  return engine(a) == engine(b) && a.cached_normal_ == b.cached_normal_;
}

void Generator::cache_normal(double value) { cached_normal_ = value; }

Generator Waypoints::after(std::uint64_t draws) {
  const std::scoped_lock lock(mutex_);
  while (marks_.size() <= draws / between) {
    marks_.push_back(marks_.back());
    marks_.back().discard(between);
    marks_.back().arrive();
  }
  Generator generator = marks_[draws / between];
  generator.discard(draws % between);
  return generator;
}

std::string Seed::text() const {
  return is_negative_ ? std::to_string(static_cast<std::int64_t>(bits_)) : std::to_string(bits_);
}

std::optional<Seed> parsed_seed(std::string_view text) {
  if (const auto seed = text::number_of<std::int64_t>(text)) {
    return Seed(*seed);
  }
  const auto seed = text::number_of<std::uint64_t>(text);
  return seed ? std::optional<Seed>(*seed) : std::nullopt;
}

}  // namespace attn::torch
