#include "torch/generator.hpp"

#include <utility>

namespace attn::torch {
namespace {

std::mt19937::result_type low_word(std::uint64_t seed) {
  return static_cast<std::uint32_t>(seed);
}

}  // namespace

Generator::Generator(std::uint64_t seed) : engine_(low_word(seed)) {}

void Generator::manual_seed(std::uint64_t seed) {
  engine_.seed(low_word(seed));
  cached_normal_.reset();
  count_ = 0;
}

std::uint32_t Generator::random() {
  ++count_;
  return static_cast<std::uint32_t>(engine_());
}

std::uint64_t Generator::random64() {
  const std::uint64_t high = random();
  const std::uint64_t low = random();
  return (high << 32U) | low;
}

void Generator::discard(std::uint64_t draws) {
  engine_.discard(draws);
  count_ += draws;
}

std::optional<double> Generator::take_cached_normal() {
  return std::exchange(cached_normal_, std::nullopt);
}

void Generator::cache_normal(double value) {
  cached_normal_ = value;
}

}  // namespace attn::torch
