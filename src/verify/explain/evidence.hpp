#pragma once

#include <cstddef>
#include <cstdint>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// log10 of the probability that numbers drawn at random over the tensor's range agree with its cells. Scalars,
/// constants and triangles of two whole numbers, such as causal masks, are no evidence: 0.
double chance_of_agreeing(const Printed& printed);

/// Whether that is excluded where so many tensors were held against it.
bool is_excluded(double chance, std::size_t tried);

/// How many cells of a tensor may not hold for it to be recognised all the same: 15 % of those that are
/// not zero, and at least one.
std::int64_t most_failing(const Printed& printed);

}  // namespace attn::verify
