#pragma once

#include <iosfwd>
#include <span>

#include "cli/options.hpp"

namespace attn::cli {

/// Writes a chapter's selected steps in the form that is asked for: as the article prints them, explained, as heat maps,
/// as JSON or Markdown, or the derivation of one number. `all_steps` are those that a derivation may go back to.
void write(std::ostream& out, const chapters::ChapterEntry& chapter, std::span<const Step> steps,
           std::span<const Step> all_steps, const Options& options);

/// The walkthrough twice, side by side: as it is, and with lesson.what_if.
void write_what_if(std::ostream& out, const chapters::ChapterEntry& chapter, const Walkthrough& as_is,
                   const Walkthrough& changed, const Options& options);

}  // namespace attn::cli
