#pragma once

#include <span>
#include <string>
#include <string_view>

#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// What is known of a rule.
struct WhatIfEntry {
  WhatIf rule;
  std::string_view name;  ///< on the command line: "no-scaling"
  std::string_view text;  ///< the line that is written otherwise: "the scores are not divided"
};

std::span<const WhatIfEntry> all_what_ifs();
const WhatIfEntry& what_if_entry(WhatIf rule);

/// One sentence on what the change did, from the numbers of all steps of both walkthroughs.
std::string what_the_change_did(WhatIf rule, std::span<const Step> as_is, std::span<const Step> changed);

}  // namespace attn::chapters
