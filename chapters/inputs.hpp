#pragma once

#include <cstdint>
#include <string>

#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// Whether the lesson asks for torch.rand inputs instead of the article's.
bool has_random_inputs(const Lesson& lesson);

/// torch.manual_seed(seed), then the inputs [tokens, d_in]: the toy embeddings of "Your journey starts with
/// one step", or random ones, drawn right after seeding. Each call seeds anew.
Tensor seeded_inputs(const Lesson& lesson, torch::Torch& torch);

/// The index of the token that by-hand parts follow: lesson.query, or "journey". Throws LessonError where
/// the inputs [tokens, d_in] have no such token.
std::int64_t query_index(const Lesson& lesson, const Tensor& inputs);

/// The embedded sentence [6, 3] of "Life is short, eat dessert first", with the steps that lead to it.
Tensor embedded_sentence(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);

}  // namespace attn::chapters
