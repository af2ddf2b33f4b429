#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "verify/port/match.hpp"

namespace attn::verify {

/// The usual seed after which the program draws the port's numbers, if none of its drawn tensors is right; else none.
std::optional<std::int64_t> seed_of(std::span<const Matched> matched, const torch::Draws& draws, const Right& right);

}  // namespace attn::verify
