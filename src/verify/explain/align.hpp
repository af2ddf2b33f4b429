#pragma once

#include <optional>
#include <span>

#include "verify/explain/fit.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// The tensor on a step of the same shape, with two rows or columns swapped where that explains all differences.
/// `values` are the step's numbers that stand where the printed cells do.
Fit fit_same_shape(const Printed& printed, std::span<const double> values);

/// The tensor on a step of another shape: with rows lost or added along one axis, or the same numbers in another shape.
/// Empty where the shapes are too far apart, or fewer than three quarters of the cells hold.
std::optional<Fit> fit_other_shape(const Printed& printed, const Numbers& numbers);

}  // namespace attn::verify
