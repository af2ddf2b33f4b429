#pragma once

#include <optional>
#include <span>

#include "verify/port/items.hpp"

namespace attn::verify {

/// Scores with -inf where they and the port's weights are both 0: a loop over the visible ones, as llm.c's, never
/// writes the others. None if there are no such cells.
std::optional<Observed> unwritten_scores(const Item& item, const Tensor& step, std::span<const Item> items,
                                         std::span<const Step> steps, Right& right);

}  // namespace attn::verify
