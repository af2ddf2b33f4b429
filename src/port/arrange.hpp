#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dump/read.hpp"
#include "port/compare.hpp"
#include "tensor/array.hpp"

namespace attn::port {

/// A tensor's numbers in the order of another shape.
struct Arranged {
  std::vector<double> values;
  std::string words;  ///< how they were laid out: "transposed", "of shape [6, 6]"; empty where they were as wanted
};

/// Lays a port's numbers out as a step's: as they are, in another shape, transposed, heads before or after tokens; of
/// these the first that holds, or else the one with the fewest wrong numbers. None where there are more or fewer numbers.
std::optional<Arranged> arrange(const dump::Dumped& theirs, const Shape& shape, std::span<const double> right,
                                const Tolerance& tolerance);

}  // namespace attn::port
