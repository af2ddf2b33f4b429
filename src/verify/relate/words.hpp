#pragma once

#include <string>
#include <vector>

#include "verify/relate/vocabulary.hpp"

namespace attn::verify {

/// What scores may be divided by, with PyTorch's words: " / 2**0.5"; 1 without words.
struct Divisor {
  double value;
  std::string words;
};
std::vector<Divisor> divisors(const Givens& givens);

/// "0.5"
std::string number_words(double value);

/// "softmax(x.masked_fill(causal mask, -torch.inf) / 2**0.5)"
std::string causal_words(const std::string& scores, const std::string& divisor);

/// Whether hardly a cell is below 0 or above 1: a wrong sign must not hide what the others are.
bool may_be_weights(const Grid& grid);

/// Whether nearly every cell above the diagonal of the last two axes has the value.
bool is_lower_triangle(const Grid& grid, double value = 0);

}  // namespace attn::verify
