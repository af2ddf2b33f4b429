#pragma once

#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// The section `ones`: seeded, then dropout with rate p on ones [tokens, tokens].
void dropout_on_ones(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk, double p);

}  // namespace attn::chapters
