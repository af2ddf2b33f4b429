#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// Throws LessonError where the lesson's sentence cannot be embedded, or not with the sizes that are asked for.
void check_sentence(const Lesson& lesson);

/// Whether the lesson asks for torch.rand inputs instead of the article's.
bool has_random_inputs(const Lesson& lesson);

/// How many tokens the inputs have.
std::int64_t token_count(const Lesson& lesson);

/// torch.manual_seed(seed), then the inputs [tokens, d_in]: the toy embeddings of "Your journey starts with
/// one step", or random ones, drawn right after seeding, or the lesson's sentence embedded, and seeded again. Each
/// call seeds anew.
Tensor seeded_inputs(const Lesson& lesson, torch::Torch& torch);

/// The same, shown as the extra `inputs`, after the lesson's sentence, if there is one, its vocabulary and ids.
Tensor shown_inputs(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk);

/// The words that the inputs' rows stand for; none for random inputs.
std::vector<std::string> token_words(const Lesson& lesson);

/// The index of the token that by-hand parts follow: lesson.query, or the second token. Throws LessonError where
/// the inputs [tokens, d_in] have no such token.
std::int64_t query_index(const Lesson& lesson, const Tensor& inputs);

/// The embedded sentence [n, 3], "Life is short, eat dessert first" or the lesson's, shown with the steps that lead to
/// it, or the lesson's random inputs; then torch.manual_seed again, where the inputs are not random.
Tensor embedded_sentence(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk, bool in_article);

/// Seeds once more for inputs that were embedded: these, or where the lesson asks for random ones, new ones.
Tensor seeded_again(const Lesson& lesson, torch::Torch& torch, const Tensor& inputs);

}  // namespace attn::chapters
