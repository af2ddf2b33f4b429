#pragma once

#include "program.hpp"

/// The book's second module; later sections use its weights.
namespace attn::chapters::book {

/// The seed of this module; everything else uses 123.
inline constexpr torch::Seed v2_seed = 789;

/// Three nn.Linear(3, 2, bias=False).
inline constexpr ProjectionDefaults v2_weights = {.init = Init::linear, .d_out_kq = 2, .d_out_v = 2};

}  // namespace attn::chapters::book
