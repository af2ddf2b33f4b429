#pragma once

#include "program.hpp"

/// The book's second module, whose weights it goes on with in later sections.
namespace attn::chapters::book {

/// What the book seeds it with; all else is seeded with 123.
constexpr torch::Seed v2_seed = 789;

/// Three nn.Linear(3, 2, bias=False).
constexpr ProjectionDefaults v2_weights = {.init = Init::linear, .d_out_kq = 2, .d_out_v = 2};

}  // namespace attn::chapters::book
