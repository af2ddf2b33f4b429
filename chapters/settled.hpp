#pragma once

#include "chapter.hpp"

namespace attn::chapters {

/// The chapter's steps for a settled lesson, without the user's weights.
Walkthrough run(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch);

/// The lesson with the sizes of the user's own weights and, with --fixture, the fixture's sizes:
/// batch 2, 5 tokens, d_in 7, 3 heads of 4, dropout 0.25, nn.Linear with a bias, each if the chapter takes it. Settings
/// of the lesson take precedence.
Lesson settled(const Chapter& chapter, const Lesson& lesson);

}  // namespace attn::chapters
