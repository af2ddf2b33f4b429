#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "torch/draws.hpp"
#include "verify/port/match.hpp"

namespace attn::verify {

/// Returns the seed with which the program gives these numbers; none if they tell too little, or no usual seed does.
std::optional<std::int64_t> seed_of(const Observed& theirs, const Tensor& step, const torch::Draws& draws,
                                    Right& right);

/// Returns the seed of a whole dump if nothing drawn, and nothing computed from draws, is right.
std::optional<std::int64_t> seed_of(std::span<const Matched> matched, const torch::Draws& draws, Right& right);

}  // namespace attn::verify
