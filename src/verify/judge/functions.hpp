#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "verify/judge/causes.hpp"

namespace attn::port {

/// A port's numbers and the right ones, in one shape: a whole tensor, or one head or batch entry of it.
struct Beside {
  Shape shape;
  std::vector<double> theirs;
  std::vector<double> right;
};

/// The part of a tensor that a port has, if it is a block; else none.
std::optional<Beside> beside(const Laid& theirs, const Shape& shape, const std::vector<double>& right);

/// Finds a function that turns the right numbers into the port's: of each number, a sum or mean along an axis, or a
/// vector added to every row. At most one cause.
std::vector<Cause> functions_of(const Beside& beside, std::int64_t heads);

/// The words for the tensor's axes, such as "head"; the last is columns.
std::vector<std::string> axis_words(std::size_t dim);

}  // namespace attn::port
