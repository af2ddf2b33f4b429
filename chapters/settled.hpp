#pragma once

#include "chapter.hpp"

namespace attn::chapters {

/// The chapter's steps for a settled lesson, without a reader's weights.
Walkthrough run(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch);

/// The lesson with the sizes that follow from a reader's own weights, and those of a fixture, where it asks for one:
/// batch 2, 5 tokens, d_in 3, 2 heads of 4, dropout 0.25, nn.Linear with a bias, each where the chapter takes it. What
/// the lesson says itself stays.
Lesson settled(const Chapter& chapter, const Lesson& lesson);

}  // namespace attn::chapters
