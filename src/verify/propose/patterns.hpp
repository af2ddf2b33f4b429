#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verify/bound/observed.hpp"

/// Masks, and what a target looks like: whether a proposal is worth its price.
namespace attn::verify {

/// Parts of a square: of each of the last two axes' matrices.
enum class Region { above, on_and_above, on_and_below, below, diagonal };
bool is_in(Region part, std::int64_t row, std::int64_t column);

/// Square, in the last two axes.
bool is_square(const Shape& shape);

/// The bool tensor that is True above the diagonal, of the last two axes of a shape: "causal mask".
Tensor causal_mask(const Shape& shape);

/// The bool tensor that is True at these positions of a shape.
Tensor mask_at(const Shape& shape, const std::vector<bool>& places, const std::string& words);

/// Whether hardly a cell is below 0 or above 1: a wrong sign must not hide what the others are.
bool may_be_weights(const Observed& observed);

/// Whether nearly every cell of a part of the last two axes has the value.
bool nearly_all_are(const Observed& observed, Region part, double value);

}  // namespace attn::verify
