#pragma once

#include <cstddef>
#include <string_view>

#include "walk/walkthrough.hpp"

namespace attn {

/// A float tensor before and after the change.
struct Change;

/// A measure of a row, given what the row was before the change, and the column of its own token: the last row's is the
/// last, or where rows are more than columns the row's place.
using Measure = double (*)(std::span<const float> row, std::span<const float> was, std::size_t place);

/// What a rule does to the numbers: by how much some change at most, how a measure of their rows changes on average, or
/// a sentence of its own.
struct Effect {
  std::string_view words = {};  ///< "Without scaling, a row's largest weight": the numbers complete the sentence
  bool (*of)(const Tensor& was) = nullptr;  ///< the tensors whose changes it describes
  std::string_view moved = {};              ///< what changes by up to a number: "scores"
  Measure measure = nullptr;
  std::string (*own)(std::span<const Change> changes) = nullptr;  ///< or a sentence; empty if it describes none of them
};

/// A reason why a rule changes no number: a fact of all tensors of a kind, if there are any.
struct Reason {
  bool (*of)(const Tensor& tensor) = nullptr;
  bool (*fact)(const Tensor& tensor) = nullptr;
  std::string_view words = {};                                ///< "a single token has no later one; try --tokens 6"
  std::string (*own)(std::span<const Step> steps) = nullptr;  ///< or a reason of its own; empty if it does not apply
};

/// A what-if rule: one line of the articles' programs changed to an instructive mistake.
struct WhatIf {
  std::string_view name;  ///< the mistake's name, also on the command line
  Effect effect;
  Reason reason = {};        ///< why the rule changes no number of some steps, and what to try instead
  Reason other_reason = {};  ///< if that does not apply
  /// Whether a chapter's gradients are those of the changed program, or the rule is about them.
  bool keeps_gradients = false;
};

std::span<const WhatIf> all_what_ifs();

/// The steps with the rule applied.
Walkthrough changed(const Walkthrough& as_is, const WhatIf& what_if);

/// The change in words: "the scores are not divided by the square root of the keys' dimension".
std::string sentence_of(const WhatIf& what_if);

/// Returns true if the rule applies to the chapter's program. Computes no numbers.
bool applies(const WhatIf& what_if, std::span<const Step> as_is);

/// Why the rule changes no number of these steps, and what to try instead; empty if there is no such reason.
std::string why_idle(const WhatIf& what_if, std::span<const Step> as_is);

/// One sentence about the effect of the change, from the numbers of all steps of both walkthroughs.
std::string what_the_change_did(const WhatIf& what_if, std::span<const Step> as_is, std::span<const Step> changed);

}  // namespace attn
