#pragma once

#include <optional>

#include "verify/explain/fit.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// The tensor on a step of the same shape. Empty where more than `most` cells differ.
std::optional<Fit> fit_same_shape(const Printed& printed, const Numbers& numbers, std::int64_t most);

/// The tensor on a step of another shape: with rows lost or added along one axis, or the same numbers in another shape.
/// Empty where the shapes are too far apart, or fewer than three quarters of the cells hold.
std::optional<Fit> fit_other_shape(const Printed& printed, const Numbers& numbers);

}  // namespace attn::verify
