#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// Whether the lesson asks for torch.rand inputs instead of the article's.
bool has_random_inputs(const Lesson& lesson);

/// torch.manual_seed(seed), then the inputs [tokens, d_in]: the toy embeddings of "Your journey starts with
/// one step", or random ones, drawn right after seeding. Each call seeds anew.
Tensor seeded_inputs(const Lesson& lesson, torch::Torch& torch);

/// The words that the inputs' rows stand for; none for random inputs.
std::vector<std::string> token_words(const Lesson& lesson);

/// The index of the token that by-hand parts follow: lesson.query, or the second token. Throws LessonError where
/// the inputs [tokens, d_in] have no such token.
std::int64_t query_index(const Lesson& lesson, const Tensor& inputs);

/// The embedded sentence [6, 3] of "Life is short, eat dessert first", shown with the steps that lead to it, or the
/// lesson's random inputs; then torch.manual_seed again, where the inputs are not random.
Tensor embedded_sentence(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk, bool in_article);

/// Seeds once more for inputs that were embedded: these, or where the lesson asks for random ones, new ones.
Tensor seeded_again(const Lesson& lesson, torch::Torch& torch, const Tensor& embedded);

}  // namespace attn::chapters
