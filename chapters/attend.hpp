#pragma once

#include <string>

#include "chapters/chapter.hpp"

/// Hand-made weights, whose scores and context vectors say what each token attends to.
namespace attn::chapters {

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
