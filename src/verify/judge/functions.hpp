#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/judge/causes.hpp"

namespace attn::verify {

/// A port's numbers and the right ones, in one shape: a whole tensor, or one head or batch entry of it.
struct Beside {
  Shape shape;
  std::span<const double> theirs;
  std::span<const double> right;
};

/// The numbers of a block, gathered from a tensor.
struct Gathered {
  Shape shape;
  std::vector<double> theirs;
  std::vector<double> right;
};

/// The part of a tensor that a port has, if it is a block; else none.
std::optional<Gathered> gathered(const Laid& theirs, const Shape& shape, const std::vector<double>& right);

/// What is made of the right numbers: a function of each, or their sums, means or norms along an axis. One cause, or
/// none. Each is compared number by number, up to the first that differs.
std::vector<Cause> functions_of(const Beside& beside, std::int64_t heads);

/// How wrong numbers follow from the right ones, whatever made them so: times a number or plus a number, one for all or
/// one for each row, column or entry of an axis; or in other places. One cause, or none.
std::vector<Cause> patterns_of(const Beside& beside, bool are_weights);

/// The words for the tensor's axes, such as "head"; the last is columns.
std::vector<std::string> axis_words(std::size_t dim);

}  // namespace attn::verify
