#include "chapters/chapter.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "chapters/inputs.hpp"
#include "chapters/own.hpp"

namespace attn::chapters {
namespace {

/// The half of a one-hot input that a projection keeps.
enum class Half { position, word };

/// What a token looks for: one row makes all three weights.
struct Rule {
  AttendTo name;
  Half found_by;  ///< the key; values hold the other half
  /// Returns true if the query of row `i` of that half asks for row `j`.
  bool (*asks)(std::int64_t i, std::int64_t j);
  std::string_view question;  ///< of W_query
  std::string_view query;     ///< "each query", and what it is
};

/// In the order in which heads take them.
constexpr std::array rules = {
    Rule{AttendTo::previous, Half::position,
         [](std::int64_t i, std::int64_t j) { return j == std::max<std::int64_t>(i - 1, 0); },
         "turns each position into the one before it and the first into itself",
         "asks for the position before the token's own; the first asks for itself"},
    Rule{AttendTo::same, Half::word, [](std::int64_t i, std::int64_t j) { return j == i; }, "keeps the word",
         "asks for the token's own word"},
    Rule{AttendTo::earlier, Half::position, [](std::int64_t i, std::int64_t j) { return j <= i; },
         "turns each position into itself and all before it",
         "asks for the token's own position and for all before it"},
    Rule{AttendTo::first, Half::position, [](std::int64_t, std::int64_t j) { return j == 0; },
         "turns every position into the first", "asks for the first position"},
};

std::string half_name(Half half) { return half == Half::position ? "position" : "word"; }

constexpr Half other(Half half) { return half == Half::position ? Half::word : Half::position; }

/// The rule of a head, counted from 0.
const Rule& rule_of(const Lesson& lesson, std::int64_t head) {
  const auto first = std::ranges::find(rules, *lesson.attend_to, &Rule::name) - rules.begin();
  return rules[static_cast<std::size_t>(first + head) % rules.size()];
}

/// The score of a key that a query asks for: a power of 10 so large that softmax gives all others exactly 0.
float score_for(std::int64_t d_out) {
  constexpr double exp_is_zero = 110;
  double score = 1000;
  while (score / std::sqrt(static_cast<double>(d_out)) < exp_is_zero) {
    score *= 10;
  }
  return static_cast<float>(score);
}

/// A given matrix with 1, or another number, where `is_set` is true.
template <class IsSet>
GivenTensor matrix(std::string name, std::int64_t rows, std::int64_t columns, float number, IsSet is_set) {
  const auto values = [=] {
    auto numbers = std::make_shared<std::vector<float>>();
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      numbers->push_back(is_set(i / columns, i % columns) ? number : 0.0F);
    }
    return numbers;
  };
  return {std::move(name), {rows, columns}, values, "--attend-to", GivenTensor::Layout::columns};
}

/// The place of each word among the words, that of its first occurrence.
std::vector<std::int64_t> places_of(const std::vector<std::string>& words, std::int64_t count) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < count; ++i) {
    places.push_back(words.empty() ? i : std::ranges::find(words, words[static_cast<std::size_t>(i)]) - words.begin());
  }
  return places;
}

GivenTensor one_hot(const std::string& name, const std::vector<std::int64_t>& words) {
  const std::int64_t n = std::ssize(words);
  GivenTensor inputs = matrix(name, n, 2 * n, 1, [n, words](std::int64_t row, std::int64_t column) {
    return column == row || column == n + words[static_cast<std::size_t>(row)];
  });
  inputs.source = "one-hot";
  inputs.layout = GivenTensor::Layout::as_is;
  return inputs;
}

/// Returns true for a section that is one head with its own weights.
bool is_head(std::string_view section) { return section.starts_with("head_") || section == "single_head"; }

/// The rules of the heads whose weights a section has, d_out / tokens of them.
std::vector<const Rule*> rules_in(std::string_view section, std::int64_t heads, const Lesson& lesson) {
  if (is_head(section)) {
    std::int64_t number = 1;
    std::from_chars(section.data() + std::string_view("head_").size(), section.data() + section.size(), number);
    return {&rule_of(lesson, number - 1)};
  }
  const auto own = lesson.own_sizes.find("num-kv-heads");
  const std::int64_t key_heads = own == lesson.own_sizes.end() ? heads : std::min(own->second, heads);
  std::vector<const Rule*> result;
  for (std::int64_t head = 0; head < heads; ++head) {
    result.push_back(&rule_of(lesson, head * key_heads / heads));
  }
  return result;
}

std::int64_t tokens_of(const Lesson& lesson) { return lesson.inputs->shape[0]; }

/// The number of heads that share a weight [2 * tokens, heads * tokens] or its transpose.
std::int64_t heads_of(const Tensor& weight, std::int64_t tokens) {
  return element_count(weight.shape()) / (2 * tokens * tokens);
}

GivenTensor hand_made(const Weight& weight, const Lesson& lesson) {
  const std::string name(without_section(weight.name));  // the numbers are made later
  if (name == "out_proj_bias") {
    GivenTensor zeros =
        matrix(weight.name, 1, weight.tensor.size(0), 0, [](std::int64_t, std::int64_t) { return false; });
    zeros.shape = weight.tensor.shape();
    return zeros;
  }
  if (name == "out_proj_weight") {
    return matrix(weight.name, weight.tensor.size(0), weight.tensor.size(1), 1,
                  [](std::int64_t i, std::int64_t j) { return i == j; });
  }
  const std::int64_t n = tokens_of(lesson);
  const std::int64_t heads = heads_of(weight.tensor, n);
  const std::string_view section = std::string_view(weight.name).substr(0, weight.name.find('/'));
  const auto is_set = [=, rules = rules_in(section, heads, lesson)](std::int64_t row, std::int64_t column) {
    const auto head = static_cast<std::size_t>(column / n);
    if (head >= rules.size()) {  // a head of its own, as wide as all heads that share one projection
      return false;
    }
    const Rule& rule = *rules[head];
    const Half half = row < n ? Half::position : Half::word;
    if (name == "W_query") {
      return half == rule.found_by && rule.asks(row % n, column % n);
    }
    return half == (name == "W_key" ? rule.found_by : other(rule.found_by)) && row % n == column % n;
  };
  return matrix(weight.name, 2 * n, heads * n, name == "W_query" ? score_for(*lesson.d_out_kq) : 1, is_set);
}

/// "It keeps the word"; of several heads "Head 1 keeps the word; head 2 ...", until the rules come again.
template <class WordsOf>
std::string of_each_head(const std::vector<const Rule*>& heads, const std::string& one, const WordsOf& words_of) {
  if (heads.size() == 1) {
    return one + " " + words_of(*heads[0]);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(heads.size(), rules.size()); ++i) {
    text += (i == 0 ? "Head " : "; head ") + std::to_string(i + 1) + " " + words_of(*heads[i]);
  }
  return text + (heads.size() > rules.size() ? "; and so on" : "");
}

}  // namespace

Lesson with_one_hot_inputs(const Chapter& chapter, Lesson lesson) {
  constexpr std::int64_t most = 1000;
  check_sentence(lesson);
  const std::vector<std::string> words = token_words(*chapter.article, lesson);
  const std::int64_t n = words.empty() ? *lesson.tokens : std::ssize(words);
  if (n > most) {
    throw LessonError("--attend-to with " + std::to_string(n) + " tokens: one-hot inputs grow with the square of the " +
                      "tokens; use at most " + std::to_string(most) + "; try --tokens 6");
  }
  std::vector<std::int64_t> places = places_of(words, n);
  lesson.inputs = one_hot("inputs", places);
  if (chapter.takes.second_inputs) {
    std::ranges::reverse(places);
    lesson.second_inputs = one_hot("second_input", places);
  }
  std::int64_t heads = 1;
  if (chapter.takes.shared_d_out) {
    heads = lesson.num_heads.value_or(chapter.takes.fixture_heads);
    lesson.num_heads = heads;
  }
  if (takes_size(chapter.takes, "num-kv-heads")) {
    lesson.own_sizes.try_emplace("num-kv-heads", heads % 2 == 0 ? 2 : 1);
  }
  lesson.d_out_kq = heads * n;
  lesson.d_out_v = heads * n;
  if (chapter.takes.dropout && chapter.name != "dropout") {
    lesson.dropout = lesson.dropout.value_or(0);
  }
  return lesson;
}

Walkthrough with_hand_made_weights(const Walkthrough& walk, const Lesson& lesson) {
  GivenWeights weights;
  for (const Weight& weight : weights_of(walk)) {
    weights.tensors.push_back(hand_made(weight, lesson));
  }
  return with_own_weights(walk, weights, lesson.kernels);
}

std::string hand_made_meaning(const Step& step, const Lesson& lesson) {
  if (!lesson.inputs || step.kind != Step::Kind::tensor) {
    return "";
  }
  const std::int64_t n = tokens_of(lesson);
  if (step.name == "inputs" || step.name == "second_input") {
    return std::string("Two one-hot vectors side by side, of ") + std::to_string(n) +
           " numbers each: the token's position, and its word, numbered by where it first comes" +
           (step.name == "inputs" ? "." : ". The second sequence is the first one backwards.");
  }
  if (step.name == "queries" || step.name == "new_queries") {
    return of_each_head(rules_in(step.section, step.tensor->size(-1) / n, lesson), "Each query",
                        [](const Rule& rule) { return std::string(rule.query); }) +
           ".";
  }
  const bool is_query = step.name == "W_query";
  const bool is_key = step.name == "W_key";
  if (!is_query && !is_key && step.name != "W_value") {
    return "";
  }
  const auto does = [&](const Rule& rule) {
    if (is_query) {
      return std::string(rule.question) + ", whatever the " + half_name(other(rule.found_by));
    }
    const Half kept = is_key ? rule.found_by : other(rule.found_by);
    return "keeps the " + half_name(kept) + ", not the " + half_name(other(kept));
  };
  const auto score = static_cast<std::int64_t>(score_for(*lesson.d_out_kq));
  return "Made by hand, not learned. " +
         of_each_head(rules_in(step.section, heads_of(*step.tensor, n), lesson), "It", does) +
         (is_key     ? ": what a token can be found by."
          : is_query ? ". A score of " + std::to_string(score) +
                           " is so large that softmax gives all others beside it a weight of exactly 0."
                     : ": what a token passes on.");
}

}  // namespace attn::chapters
