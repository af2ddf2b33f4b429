#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "verify/port/match.hpp"

namespace attn::verify {

/// The part of a whole tensor that is wrong, where it is some heads, entries of the batch or tokens and the others are
/// right. Its words say which: "in head 0 alone".
std::optional<Laid> wrong_part(const Laid& theirs, const Tensor& step, std::span<const std::int64_t> wrong,
                               std::int64_t heads);

}  // namespace attn::verify
