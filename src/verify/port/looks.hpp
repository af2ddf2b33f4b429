#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "verify/port/causes.hpp"

namespace attn::verify {

/// Returns true if these numbers, row-major in the step's shape, are the port's.
using Explains = std::function<bool(const std::vector<double>& numbers)>;

/// Returns true if not all of the port's numbers are alike: those could be anybody's.
bool say_something(const Laid& theirs);
/// Returns true if all of the port's numbers are nan.
bool are_nan(const Laid& theirs);

/// Compares wrong numbers with the step's result for the port's own operands: rounded, half precision, slices mixed up,
/// rows left out, transposed, reshaped, multiplied.
std::optional<Cause> arithmetic_of(const Laid& theirs, const Tensor& step, const std::vector<double>& right);
std::optional<Cause> looks_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right, std::int64_t heads,
                              const Tolerance& tolerance);
/// The same for what has no name: factors, addends, other places.
std::optional<Cause> patterns_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right);

}  // namespace attn::verify
