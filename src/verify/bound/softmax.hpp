#pragma once

#include <span>

#include "verify/bound/interval.hpp"

namespace attn::verify {

/// Replaces the scores of a row by the bounds of their weights in exact arithmetic. Returns how many times float32
/// arithmetic rounds each.
double replace_by_weights(std::span<Interval> scores);

}  // namespace attn::verify
