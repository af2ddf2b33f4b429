#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "verify/judge/causes.hpp"

namespace attn::port {

/// Whether numbers, row-major in the step's shape, are a port's.
using Explains = std::function<bool(const std::vector<double>& numbers)>;

/// What wrong numbers look like beside those that the step makes of the port's own operands: rounded, in half
/// precision, slices mixed up, rows left out, transposed, reshaped, multiplied. One cause, or none.
std::vector<Cause> arithmetic_of(const Laid& theirs, const Tensor& step, const std::vector<double>& right,
                                 Right& judge);
std::vector<Cause> looks_of(const Laid& theirs, const Tensor& step, const std::vector<double>& right,
                            std::int64_t heads, const Explains& explains);

}  // namespace attn::port
