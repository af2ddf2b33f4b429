#pragma once

#include <vector>

#include "verify/explain/explanation.hpp"

namespace attn::verify {

/// Programs that readers might write with a lesson's queries, keys and values: scores, weights and context vectors,
/// with and without a causal mask. Each program starts with the lesson's steps.
std::vector<Explanation> attention_programs(const Explanation& lesson);

}  // namespace attn::verify
