#include "torch/seed.hpp"

#include "text/numbers.hpp"

namespace attn::torch {

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
