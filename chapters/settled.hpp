#pragma once

#include "chapter.hpp"

namespace attn::chapters {

/// The chapter's steps for a settled lesson, without a reader's weights.
Walkthrough run(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch);

/// The lesson with the sizes that follow from a reader's own weights, and with a fixture's sizes if it asks for one:
/// batch 2, 5 tokens, d_in 3, 2 heads of 4, dropout 0.25, nn.Linear with a bias, each if the chapter takes it. Options
/// that the lesson sets keep their values.
Lesson settled(const Chapter& chapter, const Lesson& lesson);

}  // namespace attn::chapters
