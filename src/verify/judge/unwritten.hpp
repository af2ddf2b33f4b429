#pragma once

#include <optional>
#include <span>

#include "verify/judge/items.hpp"

namespace attn::port {

/// Scores with -inf where the step has -inf and they have 0: a loop over the visible ones, as llm.c's, never writes the
/// others. None if they have other numbers there, or if the port has no weights that are 0 there.
std::optional<dump::Dumped> unwritten_scores(const Item& item, const Tensor& step, std::span<const Item> items,
                                             std::span<const Step> steps, Right& right);

}  // namespace attn::port
