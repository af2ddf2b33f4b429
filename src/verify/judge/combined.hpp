#pragma once

#include <optional>
#include <span>
#include <vector>

#include "verify/judge/causes.hpp"

namespace attn::verify {

/// Finds another step of the same shape that is added to the right numbers, as it is or times a number, or that they
/// are multiplied by.
std::optional<Cause> combined_with(const Laid& theirs, const Tensor& step, const std::vector<double>& right,
                                   std::span<const Step> steps, Right& judge);

}  // namespace attn::verify
