#pragma once

#include <optional>
#include <vector>

#include "verify/bound/observed.hpp"

namespace attn::verify {

/// Whether numbers are a linear combination of columns, whatever the coefficients: log10 of the probability that they
/// are by chance; nothing where they are not. All columns have as many numbers as `cells`; none where every combination
/// is possible.
std::optional<double> chance_of_linear_fit(const std::vector<std::vector<Interval>>& columns,
                                           const std::vector<Interval>& cells);

}  // namespace attn::verify
