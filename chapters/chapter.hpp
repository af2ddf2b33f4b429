#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "program.hpp"
#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/slip.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::chapters {

/// A chapter runs an article's program top to bottom and shows its tensors.
/// Throws LessonError where the lesson's sizes do not fit each other.
using Chapter = void (*)(Program&);

/// What a chapter may be told besides seed, inputs and kernels.
struct Takes {
  bool query = false;        ///< parts by hand that follow one query
  bool projections = false;  ///< W_query, W_key, W_value of other sizes or initialisation
  bool batch = false;
  bool dropout = false;
  bool heads = false;
};

/// One chapter as one article has it.
struct ChapterEntry {
  std::string_view name;
  Article article;  ///< whose program it follows
  Chapter run;
  Takes takes;
  Init init;                ///< how the article makes its weights
  std::string_view sizes;   ///< the article's own: "6 tokens, d_in 3, d_out 3"
  std::string_view special; ///< what the article does its own way
};

/// The chapter's steps for a lesson.
Walkthrough walk(const ChapterEntry& chapter, const Lesson& lesson, torch::Torch& torch);

/// The lines that the chapter's program has and that may be written otherwise.
std::vector<const WhatIf*> what_ifs(const ChapterEntry& chapter);

/// All chapters of all articles: chapters in the order in which they are read, and of each chapter the article
/// that it follows by default first.
std::span<const ChapterEntry> all_chapters();

/// "attention without weights": the same for every article.
std::string_view chapter_summary(std::string_view name);

/// What is known of an article.
struct ArticleEntry {
  Article article;
  std::string_view name;   ///< on the command line: "ahead-of-ai"
  std::string_view title;
  Cpu cpu;                 ///< PyTorch's kernels that the article was made with
  std::string_view generator;  ///< whose random numbers the article has, where not PyTorch's; may be empty
};

std::span<const ArticleEntry> all_articles();
const ArticleEntry& article_entry(Article article);

/// What the article's page is known to get wrong.
std::span<const Slip> known_slips(Article article);

}  // namespace attn::chapters
