#include "verify/explain/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "verify/bound/chance.hpp"
#include "verify/bound/patterns.hpp"

namespace attn::verify {
namespace {

/// Returns true if zeros are placed as a dropout mask draws them, not in a triangle.
bool is_drawn(const Observed& observed) {
  return observed.rank() >= 2 && !nearly_all_are(observed, Region::above, 0) &&
         !nearly_all_are(observed, Region::below, 0);
}

/// log10 of the probability of a dropout mask, which keeps a cell as 1 / (1 - p), or of one of ones, drawn evenly.
double chance_of_drawing(const Observed& mask) {
  const double kept = std::ranges::max(mask.values);
  const double keep = kept > 1 ? 1 / kept : 0.5;
  double chance = 0;
  for (const double value : mask.values) {
    chance += std::log10(value == 0 ? 1 - keep : keep);
  }
  return chance;
}

}  // namespace

double chance_of_agreeing(const Printed& printed) {
  Observed observed = in_a_row(printed);
  if (observed.size() < 2 || is_constant(observed)) {
    return 0;
  }
  if (is_binary(observed)) {
    observed.shape = printed.shape;
    return is_regular(printed) && is_drawn(observed) ? chance_of_drawing(observed) : 0;
  }
  return chance_of_holding(observed, observed.cells(), {});
}

bool is_excluded(double chance, std::size_t tried) {
  return chance + std::log10(static_cast<double>(std::max<std::size_t>(1, tried))) < least_chance;
}

std::int64_t most_failing(const Printed& printed) {
  const Observed observed = in_a_row(printed);
  return static_cast<std::int64_t>(is_binary(observed) ? std::max<std::size_t>(1, observed.size() * 15 / 100)
                                                       : few_of(observed));
}

}  // namespace attn::verify
