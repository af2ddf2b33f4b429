#include "chapters/inputs.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <utility>

#include "chapters/article.hpp"
#include "text/utf8.hpp"

namespace attn::chapters {
namespace {

constexpr std::int64_t most_embedding_dim = 1024;
constexpr std::size_t most_words = 1000;

bool is_removed(char32_t code) { return code < 0x80 && std::string_view(",.!?;:").find(static_cast<char>(code)) < 6; }

std::string python_escape(char32_t code) {
  std::array<char, 11> text{};
  const char* format = code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(code));
  return text.data();
}

/// Python's repr of a string without control characters.
std::string python_repr(std::string_view word) {
  const bool in_double = word.find('\'') != std::string_view::npos && word.find('"') == std::string_view::npos;
  const char quote = in_double ? '"' : '\'';
  std::string text(1, quote);
  while (!word.empty()) {
    const text::Character character = text::first_character(word);
    if (!text::is_printable(character.code)) {
      text += python_escape(character.code);
    } else {
      text += character.code == '\\' || character.code == static_cast<unsigned char>(quote) ? "\\" : "";
      text += word.substr(0, character.size);
    }
    word.remove_prefix(character.size);
  }
  return text + quote;
}

[[noreturn]] void refuse(const std::string& what) {
  throw LessonError("--sentence " + what + "; give 1 to " + std::to_string(most_words) +
                    " words of UTF-8, with spaces between them; try --sentence \"Life is short, eat dessert first\"");
}

}  // namespace

std::vector<std::string> sentence_words(std::string_view sentence, Punctuation punctuation) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  };
  std::string_view rest = sentence;
  while (!rest.empty()) {
    const text::Character character = text::first_character(rest);
    if (!character.valid) {
      refuse("is not UTF-8 from byte " + std::to_string(sentence.size() - rest.size()) + " on");
    }
    if (text::is_control(character.code)) {
      refuse("has the control character " + python_escape(character.code));
    }
    if (text::is_direction_mark(character.code)) {
      refuse("has " + python_escape(character.code) + ", which changes the text direction");
    }
    if (text::is_space(character.code)) {
      end_word();
    } else if (punctuation == Punctuation::kept || !is_removed(character.code)) {
      word += rest.substr(0, character.size);
    }
    rest.remove_prefix(character.size);
  }
  end_word();
  if (words.empty()) {
    refuse("has no words");
  }
  if (words.size() > most_words) {
    refuse("has " + std::to_string(words.size()) + " words");
  }
  return words;
}

Vocabulary vocabulary_of(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());  // the byte order of UTF-8 is that of code points
  Vocabulary vocabulary;
  for (std::size_t i = 0; i < words.size(); ++i) {
    vocabulary[words[i]] = static_cast<std::int64_t>(i);
  }
  return vocabulary;
}

std::string python_dict(const Vocabulary& vocabulary) {
  std::string text = "{";
  for (const auto& [word, id] : vocabulary) {
    text += (text.size() == 1 ? "" : ", ") + python_repr(word) + ": " + std::to_string(id);
  }
  return text + "}";
}

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
