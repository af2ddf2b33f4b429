#pragma once

#include <array>

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

/// What is said of a chapter, the same for every article.
struct Topic {
  std::string_view chapter = {};
  std::string_view summary = {};  ///< "attention without weights"
  std::string_view what_if = {};  ///< the rule that it is about
  std::string_view question = {};
  std::string_view idea = {};                  ///< the answer
  std::string_view look = {};                  ///< what to look for in the numbers
  std::array<std::string_view, 3> goals = {};  ///< "say why scores are scaled": what a reader can do afterwards
};
/// An empty one for a chapter without a topic.
const Topic& topic_of(std::string_view chapter);

/// The purpose of a step, in one to three sentences; empty for an unknown step.
std::string meaning(const Chapter& chapter, const Step& step, const Lesson& lesson = {});

/// The rule that best shows the chapter's topic, among those that change a number here; null if none does.
const WhatIf* telling_what_if(std::string_view name, std::span<const Step> steps);

/// The chapter's steps for a settled lesson, without the user's weights.
Walkthrough run(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch);

/// The lesson with the sizes of the user's own weights and, with --fixture, the fixture's sizes:
/// batch 2, 5 tokens, d_in 7, 3 heads of 4, dropout 0.25, nn.Linear with a bias, each if the chapter takes it. Settings
/// of the lesson take precedence.
Lesson settled(const Chapter& chapter, const Lesson& lesson);

/// Returns true if the lesson asks for hand-made weights and the chapter has weights.
inline bool is_made_by_hand(const Chapter& chapter, const Lesson& lesson) {
  return lesson.attend_to && chapter.takes.projections && !chapter.takes.only_drawn;
}

/// The lesson with one-hot inputs [tokens, 2 * tokens], the position beside the word, and the sizes of hand-made
/// weights. Without dropout, unless the chapter is about it or the lesson sets it.
Lesson with_one_hot_inputs(const Chapter& chapter, Lesson lesson);

/// The walkthrough with hand-made weights for the lesson's rule instead of drawn ones. Several heads take the rules in
/// turn, from the lesson's on; query heads that share a key head have the same rule.
Walkthrough with_hand_made_weights(const Walkthrough& walk, const Lesson& lesson);

/// The purpose of one-hot inputs, of a hand-made weight, or of the queries that it makes; empty for other steps.
std::string hand_made_meaning(const Step& step, const Lesson& lesson);

}  // namespace attn::chapters
