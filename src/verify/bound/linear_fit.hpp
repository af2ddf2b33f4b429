#pragma once

#include <optional>
#include <vector>

#include "verify/bound/observed.hpp"

namespace attn::verify {

/// Tests whether numbers are a linear combination of columns with any coefficients. Returns log10 of the probability
/// that they are by chance; empty if they are not, or if every combination is possible. All columns have as many
/// numbers as `cells`.
std::optional<double> chance_of_linear_fit(const std::vector<std::vector<Interval>>& columns,
                                           const std::vector<Interval>& cells);

}  // namespace attn::verify
