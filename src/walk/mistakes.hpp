#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/rewrite.hpp"
#include "walk/walkthrough.hpp"

namespace attn {

/// A line of an attention program written otherwise, as programs are known to have it.
struct Mistake {
  std::string name;      ///< "no-scaling"
  std::string sentence;  ///< "the scores are not divided"
  std::string instead;   ///< the line to write: "attn_scores / keys.shape[-1]**0.5"
  Rewriter::Rule rule;   ///< the same program with the mistake
};

/// All that can be made in these steps, the most usual first. Asks no tensor for its numbers.
std::vector<Mistake> mistakes_in(std::span<const Step> steps);

/// The same, and those of softmax written by hand that four printed digits tell apart.
std::vector<Mistake> mistakes_on_pages(std::span<const Step> steps);

/// The same, and what ports are known to have wrong besides: slices, precision, softmax written by hand, mixed-up
/// weights.
std::vector<Mistake> all_mistakes_in(std::span<const Step> steps);

/// The scores are divided by a number that is nobody's size.
Mistake scaled_by_number(double divisor);

/// The mistake of that name, which there must be.
Mistake mistake_of(std::string_view name, std::span<const Step> steps);

}  // namespace attn
