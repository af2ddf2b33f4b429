#pragma once

#include <optional>

#include "verify/explain/fit.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Fits the tensor to a step of the same shape. Empty if more than `most` cells differ.
std::optional<Fit> fit_same_shape(const Printed& printed, const Numbers& numbers, std::int64_t most);

/// Fits the tensor to a step of another shape: with rows lost or added along one axis, or with the same numbers in
/// another shape. Empty if the shapes are too different, or if fewer than three quarters of the cells hold.
std::optional<Fit> fit_other_shape(const Printed& printed, const Numbers& numbers);

}  // namespace attn::verify
