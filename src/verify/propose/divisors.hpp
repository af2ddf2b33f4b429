#pragma once

#include <string>
#include <vector>

#include "verify/propose/relation.hpp"

namespace attn::verify {

/// What scores may be divided by, with PyTorch's words: "2**0.5"; 1 without words.
struct Divisor {
  double value = 1;
  std::string words;

  /// x divided by it, x itself by 1.
  Tensor of(const Tensor& x) const;
};

Divisor root_of(std::int64_t size);

/// 1, and the roots of the sizes in sight.
std::vector<Divisor> divisors(const Givens& givens);

/// 1, and the roots that are tried of scores of queries and keys of this size; 0 where it is unknown.
std::vector<Divisor> divisors_of_scores(std::int64_t inner, const Givens& givens);

}  // namespace attn::verify
