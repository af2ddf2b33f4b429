#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace attn::chapters {

enum class Punctuation { removed, kept };

/// Splits a sentence as the article does: at white space, without , . ! ? ; and :, unless these are kept. Throws
/// LessonError if there are no words or too many, or if the text is not printable UTF-8.
std::vector<std::string> sentence_words(std::string_view sentence, Punctuation punctuation = Punctuation::removed);

/// The article's {word: index for index, word in enumerate(sorted(words))}: a repeated word gets its last index.
using Vocabulary = std::map<std::string, std::int64_t>;
Vocabulary vocabulary_of(std::vector<std::string> words);

/// Python's print of a dict from words to numbers.
std::string python_dict(const Vocabulary& vocabulary);

}  // namespace attn::chapters
