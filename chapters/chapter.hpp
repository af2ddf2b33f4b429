#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "chapters/article.hpp"
#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::chapters {

/// The chapter's steps for a lesson.
Walkthrough walk(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch);

/// The what-if rules that apply to the chapter's program.
std::vector<const WhatIf*> what_ifs(const Chapter& chapter);

const std::vector<std::reference_wrapper<const Article>>& all_articles();

/// All chapters of all articles, in reading order; the default article of each chapter comes first.
const std::vector<std::reference_wrapper<const Chapter>>& all_chapters();

/// The chapter's summary, the same for every article: "attention without weights".
std::string_view chapter_summary(std::string_view name);
/// What stands before a chapter: the same for every article.
struct Introduction {
  std::string_view question;
  std::string_view idea;                  ///< the answer
  std::string_view look;                  ///< what to look for in the numbers
  std::array<std::string_view, 3> goals;  ///< "say why scores are scaled": what a reader can do afterwards
};
Introduction chapter_introduction(std::string_view name);
/// The rule that best shows the chapter's topic, among those that change a number here; null if none does.
const WhatIf* telling_what_if(std::string_view name, std::span<const Step> steps);

/// The chapter's steps for a settled lesson, without the user's weights.
Walkthrough run(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch);

/// The lesson with the sizes of the user's own weights and, with --fixture, the fixture's sizes:
/// batch 2, 5 tokens, d_in 7, 3 heads of 4, dropout 0.25, nn.Linear with a bias, each if the chapter takes it. Settings
/// of the lesson take precedence.
Lesson settled(const Chapter& chapter, const Lesson& lesson);

}  // namespace attn::chapters
