#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace attn::torch
