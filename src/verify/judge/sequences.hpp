#pragma once

#include <span>
#include <vector>

#include "verify/judge/judge.hpp"

namespace attn::port {

/// Of tensors of another shape, and what is wrong after them, finds what is made of another sequence than belongs
/// there, queries of the second one say: the first has that cause, and what follows has inherited it.
void explain_sequences(std::vector<Judged>& tensors, std::span<const Step> steps, Right& right);

}  // namespace attn::port
