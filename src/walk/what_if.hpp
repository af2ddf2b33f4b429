#pragma once

#include <span>
#include <string>
#include <string_view>

#include "walk/walkthrough.hpp"

namespace attn {

struct Change;

/// A what-if rule: one line of the articles' programs changed to an instructive mistake.
struct WhatIf {
  std::string_view name;  ///< the mistake's name, also on the command line
  /// One sentence about the changed numbers; empty if none of the numbers it describes changed.
  std::string (*did)(std::span<const Change> changes);
  /// Why the rule changes no number of these steps, and what to try instead; empty if there is no such reason.
  std::string (*is_idle)(std::span<const Step> steps);
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

/// One sentence about the effect of the change, from the numbers of all steps of both walkthroughs.
std::string what_the_change_did(const WhatIf& what_if, std::span<const Step> as_is, std::span<const Step> changed);

}  // namespace attn
