#include "verify/explain/called.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "text/ascii.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_label = 20;

constexpr auto inputs = std::to_array<std::string_view>(
    {"x", "input", "inputs", "emb", "embedding", "embeddings", "embedded", "embed", "tokens", "batch"});
constexpr auto made = std::to_array<std::string_view>(
    {"q",    "k",       "v",      "w",      "wq",    "wk",     "wv",      "query",   "queries",
     "key",  "keys",    "value",  "values", "score", "scores", "weight",  "weights", "attention",
     "attn", "context", "output", "out",    "mask",  "masked", "softmax", "scaled",  "logits"});

constexpr auto projections =
    std::to_array<std::string_view>({" q wq query queries querys ", " k wk key keys ", " v wv value values "});

template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
  std::string word;
  for (const char c : text) {
    if (text::is_letter(c)) {
      word += text::lower(c);
    } else if (!word.empty()) {
      visit(word);
      word.clear();
    }
  }
  if (!word.empty()) {
    visit(word);
  }
}

/// The label on one line, without the punctuation at its end.
std::string plain(std::string_view label) {
  std::string words(label);
  const auto begin = words.find_first_not_of(" \t\n");
  const auto end = words.find_last_not_of(" \t\n:=");
  return begin == std::string::npos || end == std::string::npos || end < begin ? ""
                                                                               : words.substr(begin, end + 1 - begin);
}

}  // namespace

std::string called(std::span<const Printed> printed, std::size_t i) {
  const Place& place = printed[i].place;
  const std::string line = "line " + std::to_string(place.line);
  if (place.cell == 0) {
    return line;
  }
  const std::string cell = "cell " + std::to_string(place.number);
  const auto is_of_cell = [&](const Printed& other) { return other.place.cell == place.cell && !is_size(other); };
  const auto first =
      std::ranges::lower_bound(printed, place.cell, {}, [](const Printed& other) { return other.place.cell; });
  const auto last =
      std::find_if(first, printed.end(), [&](const Printed& other) { return other.place.cell != place.cell; });
  if (std::count_if(first, last, is_of_cell) < 2) {
    return cell;
  }
  const std::string label = plain(printed[i].label);
  const bool is_short =
      !label.empty() && label.size() <= longest_label && label.find_first_of("\n\"") == std::string::npos;
  return cell + " " + line + (is_short ? " \"" + label + "\"" : "");
}

Role role_of(std::string_view label) {
  Role role = Role::any;
  for_each_word(label, [&](const std::string& word) {
    if (std::ranges::find(made, word) != made.end()) {
      role = Role::made;
    } else if (role == Role::any && std::ranges::find(inputs, word) != inputs.end()) {
      role = Role::inputs;
    }
  });
  return role;
}

char projection_of(std::string_view words) {
  std::set<char> found;
  for_each_word(words, [&](const std::string& word) {
    const auto named = std::ranges::find_if(
        projections, [&](std::string_view names) { return names.find(" " + word + " ") != std::string_view::npos; });
    if (named != projections.end()) {
      found.insert((*named)[1]);
    }
  });
  return found.size() == 1 ? *found.begin() : '\0';
}

}  // namespace attn::verify
