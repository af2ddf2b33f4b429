#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/port/causes.hpp"

namespace attn::verify {

/// A port's numbers and the right ones, in one shape: a whole tensor, or one head or batch entry of it.
struct Beside {
  Shape shape;
  SharedNumbers theirs;
  SharedNumbers right;
};

/// What numbers may be off by that are the right ones in another place, or made of them.
inline constexpr Tolerance near_enough = {1e-5, 1e-7, false};
inline bool is_near(double theirs, double made) { return !std::isnan(made) && is_held(theirs, made, near_enough); }

/// What is made of the right numbers: a function of each, or rotary positions.
std::optional<Cause> functions_of(const Beside& beside, std::int64_t heads);

/// How wrong numbers follow from the right ones, whatever made them so: times a number or plus a number, one for all or
/// one for each row, column or entry of an axis; or in other places.
std::optional<Cause> patterns_of(const Beside& beside, bool are_weights);

/// The words for the tensor's axes, such as "head"; the last is columns.
std::vector<std::string> axis_words(std::size_t dim);

}  // namespace attn::verify
