#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verify/bound/observed.hpp"

/// Masks, and tests of what a target looks like, which tell whether a proposal is worth its cost.
namespace attn::verify {

/// Parts of a square matrix, in the last two axes.
enum class Region { above, on_and_above, on_and_below, below, diagonal };
bool is_in(Region part, std::int64_t row, std::int64_t column);

/// Returns true if the last two axes have equal sizes.
bool is_square(const Shape& shape);

/// The bool tensor of a shape that is True above the diagonal of the last two axes: "causal mask".
Tensor causal_mask(const Shape& shape);

/// The bool tensor of a shape that is True at these positions.
Tensor mask_at(const Shape& shape, const std::vector<bool>& places, const std::string& words);

/// Returns true if almost all cells are from 0 to 1; a few wrong signs do not matter.
bool may_be_weights(const Observed& observed);

/// Returns true if nearly every cell of this part of the last two axes has the value.
bool nearly_all_are(const Observed& observed, Region part, double value);

}  // namespace attn::verify
