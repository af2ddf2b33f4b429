#pragma once

#include <cstddef>
#include <cstdint>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// log10 of the probability that numbers drawn at random over the tensor's range agree with its cells. Scalars,
/// constants and triangles of two whole numbers, such as causal masks, are not evidence: 0.
double chance_of_agreeing(const Printed& printed);

/// Returns true if coincidence is excluded after comparing with this many tensors.
bool is_excluded(double chance, std::size_t tried);

/// The number of cells that may fail while the tensor is still recognised: 15 % of the nonzero ones, at least one.
std::int64_t most_failing(const Printed& printed);

}  // namespace attn::verify
