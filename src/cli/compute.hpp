#pragma once

#include <span>

#include "cli/options.hpp"
#include "emit/request.hpp"
#include "render/document.hpp"

namespace attn::cli {

/// The chapter with nothing computed but a reader's own numbers, which are read: what is wrong with them, with the
/// memory or the disk, is said before anything is written. Throws as computed() does.
Walkthrough planned(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options);

/// The chapter with all its random numbers drawn. Throws TooLarge, before any is drawn, where what is asked for does
/// not fit into memory, and UsageError where the chapter has no such steps.
Walkthrough computed(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options);

/// Throws TooLarge where the chapter does not fit into memory beside itself with the rule changed.
void check_change_fits(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options,
                       const WhatIf& rule);

/// The walkthrough as a writer gets it. The steps that are asked for have their numbers. Chapter and options must
/// outlive it.
render::ShownChapter shown(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options);

/// The walkthrough as an emitter gets it. Throws UsageError where the chapter has no such steps.
emit::Chapter emitted(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options);

/// The writer's input.
render::Document document(std::vector<render::ShownChapter> chapters, const Options& options);

/// The chapter's question and next commands.
render::Framing framing(const chapters::Chapter& chapter, std::span<const Step> steps);

/// Why the chapter's steps are there, in the lesson with any seed. Chapter and lesson must outlive it.
render::Why why_in(const chapters::Chapter& chapter, const Options& options);

}  // namespace attn::cli
