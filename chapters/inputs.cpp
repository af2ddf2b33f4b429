#include "chapters/inputs.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

#include "chapters/article.hpp"
#include "chapters/sentence.hpp"

namespace attn::chapters {
namespace {

constexpr std::int64_t most_embedding_dim = 1024;

}  // namespace

void check_sentence(const Lesson& lesson) {
  if (!lesson.sentence) {
    return;
  }
  if (lesson.tokens) {
    throw LessonError("--sentence with --tokens: a sentence has its own tokens; leave one of them out");
  }
  if (lesson.d_in.value_or(1) > most_embedding_dim) {
    throw LessonError("--d-in " + std::to_string(*lesson.d_in) +
                      " is too large for 50000 embeddings; with --sentence the most is " +
                      std::to_string(most_embedding_dim) + "; try --d-in 3");
  }
  sentence_words(*lesson.sentence);
}

bool has_random_inputs(const Lesson& lesson) {
  return !lesson.sentence && !lesson.inputs && (lesson.tokens || lesson.d_in || lesson.fixture);
}

std::int64_t token_count(const Lesson& lesson) {
  if (lesson.layer && !lesson.layer->tokens.empty()) {
    return std::ssize(lesson.layer->tokens);
  }
  if (lesson.inputs) {
    return lesson.inputs->shape[lesson.inputs->shape.size() - 2];
  }
  return lesson.sentence ? static_cast<std::int64_t>(sentence_words(*lesson.sentence).size())
                         : lesson.tokens.value_or(6);
}

std::string sentence_of(const Article& article, const Lesson& lesson) {
  return lesson.sentence.value_or(std::string(article.sentence));
}

std::vector<std::int64_t> sentence_ids(const std::string& sentence) {
  const std::vector<std::string> words = sentence_words(sentence);
  const Vocabulary vocabulary = vocabulary_of(words);
  std::vector<std::int64_t> ids;
  for (const std::string& word : words) {
    ids.push_back(vocabulary.at(word));
  }
  return ids;
}

std::vector<std::vector<float>> toy_embeddings() {
  return {
      {0.43F, 0.15F, 0.89F},  // Your
      {0.55F, 0.87F, 0.66F},  // journey
      {0.57F, 0.85F, 0.64F},  // starts
      {0.22F, 0.58F, 0.33F},  // with
      {0.77F, 0.25F, 0.10F},  // one
      {0.05F, 0.80F, 0.55F},  // step
  };
}

std::vector<std::string> token_words(const Article& article, const Lesson& lesson) {
  if (lesson.layer) {
    std::vector<std::string> words;
    std::ranges::transform(lesson.layer->tokens, std::back_inserter(words), &GivenToken::word);
    return words;
  }
  const bool is_random = lesson.attend_to ? lesson.tokens.has_value() : lesson.inputs || has_random_inputs(lesson);
  return is_random ? std::vector<std::string>() : sentence_words(sentence_of(article, lesson));
}

std::int64_t query_index(const Article& article, const Lesson& lesson, std::int64_t num_tokens) {
  if (!lesson.query) {
    return std::min<std::int64_t>(1, num_tokens - 1);
  }
  const std::string& query = *lesson.query;
  const std::vector<std::string> words = token_words(article, lesson);
  const auto word = std::find(words.begin(), words.end(), query);
  if (word != words.end()) {
    return word - words.begin();
  }
  std::int64_t index = -1;
  const auto [end, error] = std::from_chars(query.data(), query.data() + query.size(), index);
  const bool is_index = error == std::errc() && end == query.data() + query.size();
  if (is_index && index >= 0 && index < num_tokens) {
    return index;
  }
  std::string accepted = "an index from 0 to " + std::to_string(num_tokens - 1);
  for (const std::string& token : words) {
    accepted += (token == words[0] ? " or one of " : " ") + token;
  }
  throw LessonError("--query " + query + " is not a token of the inputs; give " + accepted + "; try --query " +
                    std::to_string(std::min<std::int64_t>(1, num_tokens - 1)));
}

}  // namespace attn::chapters
