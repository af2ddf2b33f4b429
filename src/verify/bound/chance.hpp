#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "verify/bound/observed.hpp"

namespace attn::verify {

/// log10 of the probability that the printed cells hold by chance on numbers of the same shape, leaving out those that
/// fail (in order). `range` is the range of each number; by default that of the printed ones.
double chance_of_holding(const Observed& printed, std::span<const Interval> numbers,
                         std::span<const std::int64_t> failing, std::optional<double> range = {});

/// The largest minus the smallest number, leaving out zeros and infinities; 0 if there are none.
double range_of(const Observed& observed);

/// Returns true if all finite numbers are equal.
bool is_constant(const Observed& observed);

/// Returns true if every number is 0 or 1, or 0 or one other number, as dropout makes of ones.
bool is_binary(const Observed& observed);

/// The number of cells that may fail while the rest is still recognised: 15 % of those that are neither zero nor
/// infinite, at least one.
std::size_t few_of(const Observed& observed);

/// log10 of the number of ways to choose `some` of `all`.
double log_ways(std::size_t all, std::size_t some);

/// The limit for a chance, which must account for the number of relations tried.
inline constexpr double least_chance = -6;

}  // namespace attn::verify
