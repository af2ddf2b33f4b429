#pragma once

#include <cstdint>
#include <span>

#include "verify/bound/interval.hpp"

namespace attn::verify {

/// Intervals, at constant distances in memory. Exact numbers have `high` at `low`.
struct Run {
  const double* low;
  const double* high;
  std::int64_t step;
  bool are_finite;
  bool are_exact;

  Interval at(std::int64_t i) const { return {low[i * step], high[i * step]}; }
};

/// Sums of terms, and the sums of their magnitudes.
struct Totals {
  std::span<double> low;
  std::span<double> high;
  std::span<double> size;
};

/// Adds to each cell j, which is 0, the sum over k of a[k] * b[k, j]; b has its cells at distances of b.step and its
/// terms at distances of `per_term`. A cell's bits do not depend on how many cells there are.
void add_products(const Run& a, const Run& b, std::int64_t per_term, std::int64_t terms, const Totals& totals);

}  // namespace attn::verify
