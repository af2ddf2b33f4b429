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

/// What somebody shows of a tensor: its numbers up to rounding, row-major.
struct Observed {
  Shape shape;
  std::vector<Interval> cells;

  std::size_t rank() const { return shape.size(); }
};

/// A position as the standard library counts.
inline std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

/// What a printed tensor says of its numbers; empty for one that is printed with "..." or in rows of different
/// lengths. True is 1.
std::optional<Observed> observed_of(const Printed& printed);

/// Half a unit of the last printed digit; 0 where the number is exact.
Interval interval_of(const Cell& cell);

/// A tensor of this name; its numbers are the middles of those observed.
Tensor leaf_of(const Observed& observed, const std::string& name);

/// Item i of the first axis, which is gone from the result.
Observed item_of(const Observed& x, std::int64_t i);

}  // namespace attn::verify
