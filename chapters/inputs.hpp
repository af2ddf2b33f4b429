#pragma once

#include <string_view>

#include "walk/lesson.hpp"

namespace attn::chapters {

struct Article;

enum class Punctuation { removed, kept };

/// Splits a sentence as the article does: at white space, without , . ! ? ; and :, unless these are kept. Throws
/// LessonError if there are no words or too many, or if the text is not printable UTF-8.
std::vector<std::string> sentence_words(std::string_view sentence, Punctuation punctuation = Punctuation::removed);

/// The article's {word: index for index, word in enumerate(sorted(words))}: a repeated word gets its last index.
using Vocabulary = std::map<std::string, std::int64_t>;
Vocabulary vocabulary_of(std::vector<std::string> words);

/// Python's print of a dict from words to numbers.
std::string python_dict(const Vocabulary& vocabulary);

/// Throws LessonError if the lesson's sentence cannot be embedded, or not with the requested sizes.
void check_sentence(const Lesson& lesson);

/// Returns true if the lesson has torch.rand inputs instead of the article's.
bool has_random_inputs(const Lesson& lesson);

/// The number of tokens in the inputs.
std::int64_t token_count(const Lesson& lesson);

/// The sentence to embed: the lesson's, or the article's.
std::string sentence_of(const Article& article, const Lesson& lesson);

/// The ids of the sentence's words.
std::vector<std::int64_t> sentence_ids(const std::string& sentence);

/// The embeddings [6, 3] of "Your journey starts with one step".
std::vector<std::vector<float>> toy_embeddings();

/// The words of the inputs' rows; empty for random inputs.
std::vector<std::string> token_words(const Article& article, const Lesson& lesson);

/// The index of the token to follow by hand: lesson.query, or the second token. Throws LessonError if there is no such
/// token.
std::int64_t query_index(const Article& article, const Lesson& lesson, std::int64_t num_tokens);

}  // namespace attn::chapters
