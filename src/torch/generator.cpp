#include "torch/generator.hpp"

#include <utility>

#include "text/numbers.hpp"
#include "torch/seed.hpp"

namespace attn::torch {
namespace {

std::uint32_t low_word(std::uint64_t seed) { return static_cast<std::uint32_t>(seed); }

}  // namespace

Generator::Generator(std::uint64_t seed) : engine_(low_word(seed)) {}

void Generator::manual_seed(std::uint64_t seed) {
  engine_ = MersenneTwister(low_word(seed));
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
