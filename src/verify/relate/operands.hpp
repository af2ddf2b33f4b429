#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/relate/relation.hpp"

namespace attn::verify {

/// What a product may be made of: a source, or what one source projects another to.
struct Operand {
  Grid grid;
  std::string words;
  std::vector<std::size_t> sources;
};

/// The queries, keys or values that one matrix of weights makes of inputs.
struct Projected {
  std::size_t inputs = 0;  ///< among the sources
  std::size_t weights = 0;
  bool is_transposed = false;  ///< as nn.Linear holds its weights
  std::size_t operand = 0;     ///< among the operands
};

struct Operands {
  std::vector<Operand> all;  ///< the sources first, in their order
  std::vector<Projected> projected;
};

/// The operands that the last `window` sources and all that the page does not print make.
Operands operands_of(std::span<const Source> sources);

/// In brackets where it is an expression.
std::string factor_words(const Operand& operand);

}  // namespace attn::verify
