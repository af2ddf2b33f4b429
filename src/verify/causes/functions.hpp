#pragma once

#include <span>

namespace attn {

/// A function that programs apply to each number of a tensor.
struct Function {
  const char* name;
  const char* words;  ///< before "is applied to"
  double (*of)(double);
  bool is_identity_above_0 = false;
};

/// Activation functions, powers, and changes of sign; those that are easily taken for others come later.
std::span<const Function> functions();

}  // namespace attn
