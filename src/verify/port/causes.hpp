#pragma once

#include <span>
#include <vector>

#include "torch/draws.hpp"
#include "verify/port/looks.hpp"
#include "verify/port/match.hpp"

namespace attn::verify {

/// What gives the numbers of a tensor that is wrong by itself: another arithmetic, a mistake, or two at once, in what
/// lies between it and the tensors that are shown right. At most three, the most usual first; empty where nothing known
/// does.
std::vector<Cause> causes_of(const Matched& matched, std::span<const Step> steps, const PortOperands& operands,
                             std::span<const Tensor* const> shown, Right& right, const torch::Draws& draws);

}  // namespace attn::verify
