#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/bound/interval.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// What is shown of a tensor: its numbers up to rounding, row-major.
struct Observed {
  Shape shape;
  std::vector<Interval> cells;

  std::size_t rank() const { return shape.size(); }
};

/// Converts a position to the standard library's index type.
inline std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

/// A printed tensor's numbers; empty if it is printed with "..." or in rows of different lengths. True is 1.
std::optional<Observed> observed_of(const Printed& printed);

/// A tensor's numbers, row-major, whatever its dtype.
std::vector<double> values_of(const Tensor& tensor);

/// The cell's value with half a unit of its last printed digit on either side; no width if the number is exact.
Interval interval_of(const Cell& cell);

/// A tensor with this name, whose numbers are the middles of the observed intervals.
Tensor leaf_of(const Observed& observed, const std::string& name);

/// Item i of the first axis, which the result lacks.
Observed item_of(const Observed& x, std::int64_t i);

}  // namespace attn::verify
