#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "torch/draws.hpp"

namespace attn::torch {

/// The result of the same call if it begins `shift` 32-bit words later than in the program, or earlier if negative.
/// Empty if that is before the seeding.
std::optional<Tensor> redrawn(const Draw& draw, const Draws& draws, std::int64_t shift);

/// The program's draws after torch.manual_seed(seed): a leaf for each draw, the program's own for those that are not
/// wanted.
std::vector<Tensor> redrawn(const Draws& draws, Seed seed, const std::vector<bool>& wanted);

/// A tensor of the program after torch.manual_seed(seed).
Tensor redrawn(const Tensor& tensor, const Draws& draws, Seed seed);

}  // namespace attn::torch
