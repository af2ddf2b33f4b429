#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/rewrite.hpp"
#include "walk/walkthrough.hpp"

namespace attn {

/// A known mistake: one line of an attention program, changed.
struct Mistake {
  std::string name;      ///< "no-scaling"
  std::string sentence;  ///< "the scores are not divided"
  std::string instead;   ///< the line to write: "attn_scores / keys.shape[-1]**0.5"
  Rewriter::Rule rule;   ///< the same program with the mistake
  bool is_rare = false;  ///< not looked for together with another
};

/// All mistakes that can occur in these steps, the most common first. Computes no numbers.
std::vector<Mistake> mistakes_in(std::span<const Step> steps);

/// mistakes_in(), and mistakes in a softmax written by hand that four printed digits can distinguish.
std::vector<Mistake> mistakes_on_pages(std::span<const Step> steps);

/// mistakes_on_pages(), and mistakes known from ports: slices, precision, softmax written by hand, mixed-up weights.
std::vector<Mistake> all_mistakes_in(std::span<const Step> steps);

/// Applies the rules of several mistakes in turn, the first nearest to the leaves.
Rewriter::Rule in_turn(std::vector<Rewriter::Rule> rules);

/// Each two mistakes of a table as one, in either order.
std::vector<Mistake> pairs_of(std::span<const Mistake> table);

/// Returns true if the mistake confuses what a slice is one of, a head or a batch entry: "head 1", "entry 0 of the
/// batch".
bool is_of_slices(const Mistake& mistake, std::string_view slice);

/// The mistake of dividing the scores by an arbitrary number.
Mistake scaled_by_number(double divisor);

/// The mistake of hiding scores by an arbitrary number.
Mistake filled_with_number(double fill);

/// The mistake of adding a number to the sum of the exponentials; if `is_shifted`, of the scores minus their maximum.
Mistake sum_plus_number(double addend, bool is_shifted);

/// The mistake of another mask of the scores' shape, before softmax or after it.
Mistake masked_by(const Tensor& mask, const std::string& sentence, bool is_before_softmax);

/// The mistake with that name, which must exist.
Mistake mistake_of(std::string_view name, std::span<const Step> steps);

}  // namespace attn
