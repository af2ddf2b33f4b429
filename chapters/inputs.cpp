#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <vector>

namespace attn::chapters {
namespace {

struct Token {
  std::string_view word;
  std::vector<float> embedding;
};

const std::array<Token, 6>& toy_tokens() {
  static const std::array<Token, 6> tokens = {{
      {"Your", {0.43F, 0.15F, 0.89F}},
      {"journey", {0.55F, 0.87F, 0.66F}},
      {"starts", {0.57F, 0.85F, 0.64F}},
      {"with", {0.22F, 0.58F, 0.33F}},
      {"one", {0.77F, 0.25F, 0.10F}},
      {"step", {0.05F, 0.80F, 0.55F}},
  }};
  return tokens;
}

constexpr std::string_view sentence = "Life is short, eat dessert first";
constexpr std::int64_t vocab_size = 50'000;
constexpr std::int64_t embedding_dim = 3;

/// The words of the sentence, without its comma.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else if (c != ',') {
      words.back() += c;
    }
  }
  return words;
}

/// Python's print of a dict from words to numbers.
std::string python_dict(const std::map<std::string, std::int64_t>& dict) {
  std::string text = "{";
  for (const auto& [word, id] : dict) {
    text += (text.size() == 1 ? "'" : ", '") + word + "': " + std::to_string(id);
  }
  return text + "}";
}

}  // namespace

bool has_random_inputs(const Lesson& lesson) { return lesson.tokens || lesson.d_in; }

Tensor seeded_inputs(const Lesson& lesson, torch::Torch& torch) {
  torch.manual_seed(lesson.seed);
  if (has_random_inputs(lesson)) {
    return torch.rand({lesson.tokens.value_or(6), lesson.d_in.value_or(3)});
  }
  std::vector<std::vector<float>> rows;
  for (const Token& token : toy_tokens()) {
    rows.push_back(token.embedding);
  }
  return torch::tensor(rows);
}

std::vector<std::string> token_words(const Lesson& lesson) {
  if (has_random_inputs(lesson)) {
    return {};
  }
  if (lesson.article == Article::ahead_of_ai) {
    return words_of(sentence);
  }
  std::vector<std::string> words;
  for (const Token& token : toy_tokens()) {
    words.emplace_back(token.word);
  }
  return words;
}

std::int64_t query_index(const Lesson& lesson, const Tensor& inputs) {
  if (!lesson.query) {
    return std::min<std::int64_t>(1, inputs.size(0) - 1);
  }
  const std::string& query = *lesson.query;
  const std::vector<std::string> words = token_words(lesson);
  const auto word = std::find(words.begin(), words.end(), query);
  if (word != words.end()) {
    return word - words.begin();
  }
  std::int64_t index = -1;
  const auto [end, error] = std::from_chars(query.data(), query.data() + query.size(), index);
  const bool is_index = error == std::errc() && end == query.data() + query.size();
  if (is_index && index >= 0 && index < inputs.size(0)) {
    return index;
  }
  std::string accepted = "an index from 0 to " + std::to_string(inputs.size(0) - 1);
  for (const std::string& token : words) {
    accepted += (token == words[0] ? " or one of " : " ") + token;
  }
  throw LessonError("--query " + query + " is no token of the inputs; accepted is " + accepted +
                    "; try --query " + std::to_string(std::min<std::int64_t>(1, inputs.size(0) - 1)));
}

namespace {

/// Shows the sentence's words, vocabulary and ids: ids [6].
Tensor sentence_ids(Walkthrough& walk, bool in_article) {
  const std::vector<std::string> words = words_of(sentence);
  std::map<std::string, std::int64_t> vocabulary;
  for (const std::string& word : words) {
    vocabulary[word] = 0;
  }
  std::int64_t next_id = 0;
  for (auto& [word, id] : vocabulary) {
    id = next_id++;
  }
  std::vector<std::int64_t> ids;
  for (const std::string& word : words) {
    ids.push_back(vocabulary[word]);
  }
  walk.text("sentence", "sentence:", std::string(sentence), in_article);
  walk.text("vocabulary", "", python_dict(vocabulary), in_article);
  const Tensor tensor = torch::tensor(ids);
  walk.add("ids", "", tensor, in_article);
  return tensor;
}

}  // namespace

Tensor embedded_sentence(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk, bool in_article) {
  if (has_random_inputs(lesson)) {
    const Tensor inputs = seeded_inputs(lesson, torch);
    walk.add("inputs", "", inputs, in_article);
    return inputs;
  }
  const Tensor ids = sentence_ids(walk, in_article);
  torch.manual_seed(lesson.seed);
  const Tensor inputs = torch.embedding(vocab_size, embedding_dim, ids);
  walk.add("inputs", "", inputs, in_article);
  torch.manual_seed(lesson.seed);
  return inputs;
}

Tensor seeded_again(const Lesson& lesson, torch::Torch& torch, const Tensor& embedded) {
  if (has_random_inputs(lesson)) {
    return seeded_inputs(lesson, torch);
  }
  torch.manual_seed(lesson.seed);
  return embedded;
}

}  // namespace attn::chapters
