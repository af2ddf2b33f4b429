#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "verify/judge/causes.hpp"

namespace attn::port {

/// A port's numbers beside the right ones, of one shape: all of a tensor, or one head or entry of it.
struct Beside {
  Shape shape;
  std::vector<double> theirs;
  std::vector<double> right;
};

/// The cells that a port has of a tensor, where they are a block of it; none where they are not.
std::optional<Beside> beside(const Laid& theirs, const Shape& shape, const std::vector<double>& right);

/// What is made of the right numbers: a function of each, their sums or mean along an axis, or one vector added to
/// every row. One cause, or none.
std::vector<Cause> functions_of(const Beside& beside, std::int64_t heads);

/// What the axes of such a tensor are: "head"; its last one is of columns.
std::vector<std::string> axis_words(std::size_t dim);

}  // namespace attn::port
