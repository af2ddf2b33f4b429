#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/port/causes.hpp"

namespace attn::verify {

/// Returns true if not all of the port's numbers are alike: those could be anybody's.
bool say_something(const Laid& theirs);
/// Returns true if all of the port's numbers are nan.
bool are_nan(const Laid& theirs);

// Each compares wrong numbers with the step's result for the port's own operands.

/// Float32 noise, rounded numbers, half precision, or nan everywhere.
std::optional<Cause> arithmetic_of(const Laid& theirs, const Tensor& step, const std::vector<double>& right);
/// One number in place of each -inf.
std::optional<Cause> fill_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right);
/// Axes swapped, slices mixed up, or a function of each number.
std::optional<Cause> looks_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right, std::int64_t heads,
                              const Tolerance& tolerance);
/// Whatever made them so: times a number or plus a number, one for all or one for each row, column or entry of an axis;
/// or in other places.
std::optional<Cause> patterns_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right);

}  // namespace attn::verify
