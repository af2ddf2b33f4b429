#pragma once

#include <vector>

#include "verify/explain/explanation.hpp"

namespace attn::verify {

/// What readers make of a lesson's queries, keys and values in programs of their own: scores, weights and context
/// vectors, with a causal mask and without. Each program has the lesson's steps first.
std::vector<Explanation> attention_programs(const Explanation& lesson);

}  // namespace attn::verify
