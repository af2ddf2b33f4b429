#include "verify/bound/products.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "tensor/processor.hpp"

namespace attn::verify {
namespace {

#pragma GCC diagnostic ignored "-Wpsabi"  // nothing that has such numbers is called, all is inlined

/// Four numbers in a register, or in two.
using Four = double __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Four four_at(const double* numbers) {
  Four result;
  std::memcpy(&result, numbers, sizeof result);
  return result;
}
[[gnu::always_inline]] inline void put(double* numbers, const Four& four) { std::memcpy(numbers, &four, sizeof four); }

[[gnu::always_inline]] inline Four least(const Four& a, const Four& b) { return b < a ? b : a; }
[[gnu::always_inline]] inline Four most(const Four& a, const Four& b) { return a < b ? b : a; }

/// The sums of eight cells at a time whose numbers are side by side.
struct Eight {
  Four low[2];
  Four high[2];
  Four size[2];
};

[[gnu::always_inline]] inline void add_exact(Eight& sums, double a, const double* b) {
  for (std::size_t half = 0; half < 2; ++half) {
    const Four product = a * four_at(b + 4 * half);
    sums.low[half] += product;
    sums.size[half] += most(product, -product);
  }
}

[[gnu::always_inline]] inline void add_intervals(Eight& sums, const Interval& a, const double* low,
                                                 const double* high) {
  for (std::size_t half = 0; half < 2; ++half) {
    const Four from = four_at(low + 4 * half);
    const Four to = four_at(high + 4 * half);
    const Four corners[] = {a.low * from, a.low * to, a.high * from, a.high * to};
    const Four lowest = least(least(corners[0], corners[1]), least(corners[2], corners[3]));
    const Four highest = most(most(corners[0], corners[1]), most(corners[2], corners[3]));
    sums.low[half] += lowest;
    sums.high[half] += highest;
    sums.size[half] += most(most(lowest, -lowest), most(highest, -highest));
  }
}

/// Finite numbers, cells side by side, as many as fill whole eights; returns how many that are.
[[gnu::always_inline]] inline std::int64_t add_eights(const Run& a, const Run& b, std::int64_t per_term,
                                                      std::int64_t terms, const Totals& totals) {
  const bool are_exact = a.are_exact && b.are_exact;
  const std::int64_t cells = std::ssize(totals.low) / 8 * 8;
  for (std::int64_t j = 0; j < cells; j += 8) {
    const auto place = static_cast<std::size_t>(j);
    Eight sums;
    for (std::size_t half = 0; half < 2; ++half) {
      sums.low[half] = four_at(&totals.low[place + 4 * half]);
      sums.high[half] = four_at(&totals.high[place + 4 * half]);
      sums.size[half] = four_at(&totals.size[place + 4 * half]);
    }
    if (are_exact) {
      for (std::int64_t k = 0; k < terms; ++k) {
        add_exact(sums, a.low[k * a.step], b.low + k * per_term + j);
      }
      sums.high[0] = sums.low[0];
      sums.high[1] = sums.low[1];
    } else {
      for (std::int64_t k = 0; k < terms; ++k) {
        add_intervals(sums, a.at(k), b.low + k * per_term + j, b.high + k * per_term + j);
      }
    }
    for (std::size_t half = 0; half < 2; ++half) {
      put(&totals.low[place + 4 * half], sums.low[half]);
      put(&totals.high[place + 4 * half], sums.high[half]);
      put(&totals.size[place + 4 * half], sums.size[half]);
    }
  }
  return cells;
}

#if defined(__x86_64__)
/// The same for processors with AVX2.
[[gnu::target("avx2")]] std::int64_t add_eights_avx2(const Run& a, const Run& b, std::int64_t per_term,
                                                     std::int64_t terms, const Totals& totals) {
  return add_eights(a, b, per_term, terms, totals);
}
#endif

std::int64_t add_eights_here(const Run& a, const Run& b, std::int64_t per_term, std::int64_t terms,
                             const Totals& totals) {
#if defined(__x86_64__)
  if (has_avx2()) {
    return add_eights_avx2(a, b, per_term, terms, totals);
  }
#endif
  return add_eights(a, b, per_term, terms, totals);
}

}  // namespace

void add_products(const Run& a, const Run& b, std::int64_t per_term, std::int64_t terms, const Totals& totals) {
  const bool are_side_by_side = b.step == 1 && a.are_finite && b.are_finite;
  const std::int64_t done = are_side_by_side ? add_eights_here(a, b, per_term, terms, totals) : 0;
  for (std::int64_t j = done; j < std::ssize(totals.low); ++j) {
    const auto cell = static_cast<std::size_t>(j);
    Interval sum = {totals.low[cell], totals.high[cell]};
    double size = totals.size[cell];
    for (std::int64_t k = 0; k < terms; ++k) {
      const std::int64_t place = k * per_term + j * b.step;
      const Interval product = times(a.at(k), {b.low[place], b.high[place]});
      sum = {sum.low + product.low, sum.high + product.high};
      size += product.size();
    }
    totals.low[cell] = sum.low;
    totals.high[cell] = sum.high;
    totals.size[cell] = size;
  }
}

}  // namespace attn::verify
