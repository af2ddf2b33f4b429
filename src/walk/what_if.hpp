#pragma once

#include <span>
#include <string>
#include <string_view>

#include "walk/walkthrough.hpp"

namespace attn {

struct Change;

/// One line of the articles' programs written otherwise: a mistake that teaches.
struct WhatIf {
  std::string_view name;  ///< the mistake's, and on the command line
  /// One sentence on what the changed numbers show; empty where none of them are those that it is about.
  std::string (*did)(std::span<const Change> changes);
  /// Why it changes no number of these steps, and what to try where it does; empty where there is no such reason.
  std::string (*is_idle)(std::span<const Step> steps);
};

std::span<const WhatIf> all_what_ifs();

/// The steps with the line written otherwise.
Walkthrough changed(const Walkthrough& as_is, const WhatIf& what_if);

/// How the line is written otherwise: "the scores are not divided by the square root of the keys' dimension".
std::string sentence_of(const WhatIf& what_if);

/// Whether the line is in the chapter's program at all. Asks no tensor for its numbers.
bool applies(const WhatIf& what_if, std::span<const Step> as_is);

/// One sentence on what the change did, from the numbers of all steps of both walkthroughs.
std::string what_the_change_did(const WhatIf& what_if, std::span<const Step> as_is, std::span<const Step> changed);

}  // namespace attn
