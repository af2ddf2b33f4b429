#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/relate/grid.hpp"

namespace attn::verify {

/// How a printed tensor lies on the numbers that a relation gives it.
struct Overlap {
  std::vector<std::int64_t> failing;  ///< the cells that do not hold, in order
  double chance = 0;                  ///< log10 of the probability that the other cells hold by chance
  bool is_decided = false;            ///< false where more cells failed than were allowed: then `failing` is not whole
};

/// Lays a tensor on numbers of the same shape; gives up where more than `most` cells fail.
Overlap lay(const Grid& printed, const Grid& numbers, std::size_t most);

/// The largest less the smallest of the numbers, zeros and infinities aside; 0 where there are none.
double range_of(const Grid& grid);

/// Whether all its finite numbers are one and the same.
bool is_constant(const Grid& grid);

/// Whether every number is exactly 0 or 1, or another pair of whole numbers, 0 among them.
bool is_binary(const Grid& grid);

/// How many cells may fail for the rest to be recognised: 15 % of those that are neither zero nor infinite, and at
/// least one.
std::size_t few_of(const Grid& grid);

/// log10 of the number of ways to choose `some` of `all`.
double log_ways(std::size_t all, std::size_t some);

/// What a chance must lie below, the number of relations tried counted in.
inline constexpr double least_chance = -6;

}  // namespace attn::verify
