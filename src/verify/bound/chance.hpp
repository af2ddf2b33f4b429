#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "verify/bound/observed.hpp"

namespace attn::verify {

/// log10 of the probability that what is printed holds on numbers of its shape by chance, where those cells that fail,
/// in order, are left out. `range` is what each number might be within; the printed ones' own where none is given.
double chance_of_holding(const Observed& printed, std::span<const Interval> numbers,
                         std::span<const std::int64_t> failing, std::optional<double> range = {});

/// The largest less the smallest of the numbers, zeros and infinities aside; 0 where there are none.
double range_of(const Observed& observed);

/// Whether all its finite numbers are one and the same.
bool is_constant(const Observed& observed);

/// Whether every number is exactly 0 or 1, or another pair of whole numbers, 0 among them.
bool is_binary(const Observed& observed);

/// How many cells may fail for the rest to be recognised: 15 % of those that are neither zero nor infinite, and at
/// least one.
std::size_t few_of(const Observed& observed);

/// log10 of the number of ways to choose `some` of `all`.
double log_ways(std::size_t all, std::size_t some);

/// What a chance must lie below, the number of relations tried counted in.
inline constexpr double least_chance = -6;

}  // namespace attn::verify
