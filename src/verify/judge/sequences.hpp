#pragma once

#include <span>
#include <vector>

#include "verify/judge/judge.hpp"

namespace attn::verify {

/// Among tensors of another shape, and wrong ones after them, finds those computed from the other sequence (queries
/// from the second one, say): the first has that cause, and those after it inherit it.
void explain_sequences(std::vector<Judged>& tensors, std::span<const Step> steps, Right& right);

}  // namespace attn::verify
