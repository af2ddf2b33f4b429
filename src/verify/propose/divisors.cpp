#include "verify/propose/divisors.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/operations.hpp"

namespace attn::verify {

Tensor Divisor::of(const Tensor& x) const { return value == 1 ? x : divide(x, value, words); }

Divisor root_of(std::int64_t size) { return {std::sqrt(static_cast<double>(size)), std::to_string(size) + "**0.5"}; }

std::vector<Divisor> divisors(const Givens& givens) {
  std::vector<Divisor> result{{}};
  for (const std::int64_t size : givens.sizes) {
    if (size > 1) {
      result.push_back(root_of(size));
    }
  }
  if (std::ranges::find(givens.sizes, 4) == givens.sizes.end()) {
    result.push_back({2, "2"});
  }
  return result;
}

std::vector<Divisor> divisors_of_scores(std::int64_t inner, const Givens& givens) {
  if (inner == 0) {
    return divisors(givens);
  }
  Givens own;
  for (const std::int64_t size : {inner, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}}) {
    if (std::ranges::find(own.sizes, size) == own.sizes.end()) {
      own.sizes.push_back(size);
    }
  }
  return divisors(own);
}

}  // namespace attn::verify
