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

std::int64_t query_index(const Lesson& lesson, const Tensor& inputs) {
  const std::string query = lesson.query.value_or("journey");
  const auto& tokens = toy_tokens();
  const auto token = std::find_if(tokens.begin(), tokens.end(),
                                  [&](const Token& candidate) { return candidate.word == query; });
  if (token != tokens.end() && (!has_random_inputs(lesson) || !lesson.query)) {
    return std::min<std::int64_t>(token - tokens.begin(), inputs.size(0) - 1);
  }
  std::int64_t index = -1;
  const auto [end, error] = std::from_chars(query.data(), query.data() + query.size(), index);
  const bool is_index = error == std::errc() && end == query.data() + query.size();
  if (is_index && index >= 0 && index < inputs.size(0)) {
    return index;
  }
  std::string accepted = "an index from 0 to " + std::to_string(inputs.size(0) - 1);
  if (!has_random_inputs(lesson)) {
    accepted += " or one of";
    for (const Token& t : tokens) {
      accepted += " " + std::string(t.word);
    }
  }
  throw LessonError("--query " + query + " is no token of the inputs; accepted is " + accepted +
                    "; try --query " + std::to_string(std::min<std::int64_t>(1, inputs.size(0) - 1)));
}

Tensor embedded_sentence(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  const std::vector<std::string> words = words_of(sentence);
  std::map<std::string, std::int64_t> vocabulary;
  for (const std::string& word : words) {
    vocabulary[word] = 0;
  }
  std::int64_t next_id = 0;
  for (auto& [word, id] : vocabulary) {
    id = next_id++;
  }
  walk.text("sentence", "sentence:", std::string(sentence));
  walk.text("vocabulary", "", python_dict(vocabulary));

  std::vector<std::int64_t> sentence_ids;
  for (const std::string& word : words) {
    sentence_ids.push_back(vocabulary[word]);
  }
  const Tensor ids = torch::tensor(sentence_ids);
  walk.show("ids", "", ids);

  torch.manual_seed(lesson.seed);
  return torch.embedding(vocab_size, embedding_dim, ids);
}

}  // namespace attn::chapters
