#include "torch/seed.hpp"

#include <charconv>

namespace attn::torch {
namespace {

template <std::integral Integer>
std::optional<Seed> parsed_as(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional<Seed>(value) : std::nullopt;
}

}  // namespace

std::string Seed::text() const {
  return is_negative_ ? std::to_string(static_cast<std::int64_t>(bits_)) : std::to_string(bits_);
}

std::optional<Seed> parsed_seed(std::string_view text) {
  const auto seed = parsed_as<std::int64_t>(text);
  return seed ? seed : parsed_as<std::uint64_t>(text);
}

}  // namespace attn::torch
