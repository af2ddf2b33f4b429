#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <vector>

#include "cli/options.hpp"

namespace attn::cli {

/// Writes a chapter's selected steps in the form that is asked for: as the article prints them, explained, as heat maps,
/// as JSON or Markdown, or the derivation of one number. `all_steps` are those that a derivation may go back to.
void write(std::ostream& out, const chapters::ChapterEntry& chapter, std::span<const Step> steps,
           std::span<const Step> all_steps, const Options& options);

/// --predict: asks on standard output, reads answers from standard input.
void predict(std::span<const Step> steps, const Options& options);

/// --step: the presenter, on the terminal. `walk` makes the chapter's steps for a seed.
void present(const chapters::ChapterEntry& chapter, const Options& options,
             const std::function<std::vector<Step>(std::uint64_t seed)>& walk);

/// The walkthrough twice, side by side: as it is, and with lesson.what_if.
void write_what_if(std::ostream& out, const chapters::ChapterEntry& chapter, const Walkthrough& as_is,
                   const Walkthrough& changed, const Options& options);

}  // namespace attn::cli
