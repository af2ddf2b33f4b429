#pragma once

#include <string>
#include <vector>

#include "verify/propose/relation.hpp"

namespace attn::verify {

/// A divisor that scores may have, and its PyTorch expression: "2**0.5"; 1 has none.
struct Divisor {
  double value = 1;
  std::string words;

  /// x divided by the divisor; x itself if that is 1.
  Tensor of(const Tensor& x) const;
};

Divisor root_of(std::int64_t size);

/// 1, and the square roots of the sizes on the page.
std::vector<Divisor> divisors(const Givens& givens);

/// 1, and the square roots to try for scores of queries and keys of this size; 0 if the size is unknown.
std::vector<Divisor> divisors_of_scores(std::int64_t inner, const Givens& givens);

}  // namespace attn::verify
