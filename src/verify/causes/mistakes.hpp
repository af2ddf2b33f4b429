#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "walk/mistakes.hpp"

/// The mistakes that people make, the most common first: those of --what-if, and what pages and ports show.
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

/// Those that printed digits can distinguish. Computes no numbers.
std::vector<Mistake> mistakes_in(Steps steps);

/// mistakes_in(), and mistakes in a softmax written by hand that four printed digits can distinguish.
std::vector<Mistake> mistakes_on_pages(Steps steps);

/// mistakes_on_pages(), and mistakes known from ports.
std::vector<Mistake> all_mistakes_in(Steps steps);

/// Applies the rules of several mistakes in turn, the first nearest to the leaves.
Rewriter::Rule in_turn(std::vector<Rewriter::Rule> rules);

/// Returns true if the mistake confuses what a slice is one of, a head or a batch entry: "head 1", "entry 0 of the
/// batch".
bool is_of_slices(const Mistake& mistake, std::string_view slice);

/// The mistake of dividing the scores by an arbitrary number.
Mistake scaled_by_number(double divisor);

}  // namespace attn
