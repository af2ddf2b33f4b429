#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "torch/draws.hpp"
#include "verify/judge/match.hpp"

namespace attn::port {

/// The seed with which the program draws what gives these numbers; none where they tell too little, or none of the
/// usual ones does.
std::optional<std::int64_t> seed_of(const dump::Dumped& theirs, const Tensor& step, const torch::Draws& draws,
                                    Right& right);

/// The seed of a whole dump: where nothing that was drawn, or made of it, is right.
std::optional<std::int64_t> seed_of(std::span<const Matched> matched, const torch::Draws& draws, Right& right);

}  // namespace attn::port
