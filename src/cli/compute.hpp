#pragma once

#include <span>
#include <vector>

#include "cli/options.hpp"
#include "emit/request.hpp"
#include "render/document.hpp"

namespace attn::cli {

/// A chapter with one rule changed.
struct Otherwise {
  const WhatIf* what_if;
  Walkthrough walk;
};

/// The what-if rules of the chapter's program, if the output format shows them and every tensor is small enough to be
/// shown whole; else only --what-if's rule, if it is given. Computes no numbers.
std::vector<Otherwise> what_ifs_of(const Walkthrough& as_is, const Options& options);

/// A writer's view of the changes, with a sentence on the effect of each.
std::vector<render::ShownWhatIf> shown_what_ifs(const Walkthrough& as_is, const Options& options);

/// The chapter's walkthrough without computed numbers; only the user's own tensors are read. Detects errors in them,
/// too little memory and a full disk before anything is written. Throws as computed() does.
Walkthrough planned(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options);

/// The chapter's walkthrough with its random numbers drawn. Throws TooLarge, before any is drawn, if the requested
/// steps do not fit into memory, and UsageError if the chapter does not have them.
Walkthrough computed(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options);

/// Throws TooLarge if the chapter and its copy with the changed rule do not fit into memory together.
void check_change_fits(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options,
                       const WhatIf& rule);

/// A writer's view of the walkthrough, with the numbers of the requested steps and without what-if rules. Chapter and
/// options must outlive it.
render::ShownChapter shown(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options);

/// An emitter's view of the walkthrough. Throws UsageError if the chapter does not have the requested steps.
emit::Chapter emitted(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options);

/// The writer's input.
render::Document document(std::vector<render::ShownChapter> chapters, const Options& options);

/// The chapter's question and next commands.
render::Framing framing(const chapters::Chapter& chapter, const Options& options, std::span<const Step> steps);

/// The purpose of the chapter's steps; it does not depend on the seed. Chapter and options must outlive it.
render::Why why_in(const chapters::Chapter& chapter, const Options& options);

}  // namespace attn::cli
