// Notices about scores and weights that follow a rule.

#include "lesson/noticing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "text/numbers.hpp"

namespace attn::render {
namespace {

/// A square matrix of weights.
struct Square {
  std::span<const float> all;
  std::int64_t n;
  std::span<const std::string> words;  ///< words for its rows and columns; may be empty

  float at(std::int64_t i, std::int64_t j) const { return all[static_cast<std::size_t>(i * n + j)]; }
  bool is_same_word(std::int64_t i, std::int64_t j) const {
    return words[static_cast<std::size_t>(i)] == words[static_cast<std::size_t>(j)];
  }
};

/// Returns true if each row has equal weights where `is_seen` is true, and 0 elsewhere.
template <class IsSeen>
bool is_even(const Square& square, IsSeen is_seen) {
  for (std::int64_t i = 0; i < square.n; ++i) {
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < square.n; ++j) {
      count += is_seen(i, j) ? 1 : 0;
    }
    for (std::int64_t j = 0; j < square.n; ++j) {
      const double expected = is_seen(i, j) ? 1 / static_cast<double>(count) : 0;
      if (expected == 0 ? square.at(i, j) != 0 : !near(square.at(i, j), expected, 1e-6)) {
        return false;
      }
    }
  }
  return true;
}

/// "attends only to itself"; empty if the weights follow no rule.
std::string_view rule_of(const Square& square) {
  using Index = std::int64_t;
  if (is_even(square, [](Index i, Index j) { return j == std::max<Index>(i - 1, 0); })) {
    return "attends only to the one before it, the first to itself";
  }
  if (is_even(square, [](Index i, Index j) { return j == i; })) {
    return "attends only to itself";
  }
  if (is_even(square, [](Index, Index j) { return j == 0; })) {
    return "attends only to the first";
  }
  if (is_even(square, [](Index i, Index j) { return j <= i; })) {
    return "attends equally to itself and to all before it";
  }
  if (square.words.empty()) {
    return "";
  }
  if (is_even(square, [&](Index i, Index j) { return square.is_same_word(i, j); })) {
    return "attends equally to all tokens of its word";
  }
  if (is_even(square, [&](Index i, Index j) { return j <= i && square.is_same_word(i, j); })) {
    return "attends equally to the tokens of its word, up to itself";
  }
  return "";
}

}  // namespace

void Noticing::pattern(const Numbers& numbers) {
  const std::size_t axes = numbers.shape.size();
  if (axes < 2 || !has_squares(numbers.shape) || !counts_tokens(tensor_, axes - 1) ||
      !counts_tokens(tensor_, axes - 2)) {
    return;
  }
  const std::int64_t n = numbers.width;
  const std::span<const std::string> words = has_words(tensor_, axes - 1) ? tokens_ : std::span<const std::string>();
  std::vector<std::string> found;
  for (std::int64_t row = 0; row < numbers.rows; row += n) {
    const auto first = static_cast<std::size_t>(row * n);
    found.emplace_back(rule_of({numbers.all().subspan(first, static_cast<std::size_t>(n * n)), n, words}));
  }
  const bool is_one = std::ranges::all_of(found, [&](const std::string& rule) { return rule == found[0]; });
  if (is_one && !found[0].empty()) {
    say("each token " + found[0]);
    return;
  }
  if (axes != 4 || !counts_heads(tensor_, 1)) {
    return;
  }
  const std::int64_t heads = numbers.shape[1];
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::string& rule = found[static_cast<std::size_t>(head)];
    bool is_in_each_entry = !rule.empty();
    for (std::size_t i = static_cast<std::size_t>(head); i < found.size(); i += static_cast<std::size_t>(heads)) {
      is_in_each_entry = is_in_each_entry && found[i] == rule;
    }
    if (is_in_each_entry) {
      say(head_name(head) + ": each token " + rule);
    }
  }
}

void Noticing::matches(const Numbers& numbers) {
  const auto all = numbers.all();
  const float score = *std::ranges::max_element(all);
  if (!(score > 0) || !std::isfinite(score) ||
      !std::ranges::all_of(all, [score](float x) { return x == 0 || x == score; }) ||
      std::ranges::count(all, score) == std::ssize(all)) {
    return;
  }
  const std::string number = text::factor_text(static_cast<double>(score));
  say("every score is " + number + ", where a key has what the query asks for, or 0");
  const Numbers queries(operand(0));
  const Tensor& columns = operand(1);
  if (columns.kind() != Kind::transpose || numbers.rows != queries.rows) {
    return;
  }
  const Numbers keys(columns.operands()[0]);
  const std::int64_t matrices = keys.rows / numbers.width;
  const std::int64_t height = numbers.rows / matrices;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    const auto row = numbers.row(i);
    for (std::int64_t j = 0; j < numbers.width; ++j) {
      const auto key = keys.row(i / height * numbers.width + j);
      const auto is_part = [score](float k, float q) { return q == score * k; };
      if (row[static_cast<std::size_t>(j)] == score && !std::ranges::equal(key, queries.row(i), is_part)) {
        return;
      }
    }
  }
  say("there the query is " + number + " times the key");
}

void Noticing::copied(const Numbers& numbers, const Numbers& weight, const Numbers& values) {
  if (weight.shape.size() < 2 || weight.width < 2) {
    return;
  }
  const std::int64_t matrices = values.rows / weight.width;
  const std::int64_t height = weight.rows / matrices;
  for (std::int64_t i = 0; i < weight.rows; ++i) {
    const auto row = weight.row(i);
    const auto one = std::ranges::find(row, 1.0F);
    if (one == row.end() || std::ranges::count(row, 0.0F) != std::ssize(row) - 1 ||
        !std::ranges::equal(numbers.row(i), values.row(i / height * weight.width + (one - row.begin())))) {
      return;
    }
  }
  say("each row is a copy of one row of " + operand(1).words() + ", the one with a weight of 1");
}

}  // namespace attn::render
