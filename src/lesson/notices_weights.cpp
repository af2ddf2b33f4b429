// Notices about attention weights: softmax, its steps and its gradient, and weights that follow a rule.

#include <cmath>
#include <set>
#include <string_view>

#include "lesson/noticing.hpp"

namespace attn::render {
namespace {

using text::number_text;

// ---- Weights that follow a rule --------------------------------------------------------------------

/// Each token attends equally to the tokens that it sees, and to no other.
struct Rule {
  bool (*is_seen)(std::int64_t row, std::int64_t column);
  bool by_word;  ///< of those, only tokens of the row's word are seen
  std::string_view words;
};

constexpr Rule rules[] = {
    {[](std::int64_t i, std::int64_t j) { return j == std::max<std::int64_t>(i - 1, 0); }, false,
     "attends only to the one before it, the first to itself"},
    {[](std::int64_t i, std::int64_t j) { return j == i; }, false, "attends only to itself"},
    {[](std::int64_t, std::int64_t j) { return j == 0; }, false, "attends only to the first"},
    {[](std::int64_t i, std::int64_t j) { return j <= i; }, false, "attends equally to itself and to all before it"},
    {[](std::int64_t, std::int64_t) { return true; }, true, "attends equally to all tokens of its word"},
    {[](std::int64_t i, std::int64_t j) { return j <= i; }, true,
     "attends equally to the tokens of its word, up to itself"},
};

/// Returns true if a square of n x n weights follows the rule. `words` name its rows and columns, or are empty.
bool follows(std::span<const float> weights, std::int64_t n, std::span<const std::string> words, const Rule& rule) {
  if (rule.by_word && words.empty()) {
    return false;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const auto row = weights.subspan(static_cast<std::size_t>(i * n), static_cast<std::size_t>(n));
    std::vector<bool> seen;
    for (std::int64_t j = 0; j < n; ++j) {
      seen.push_back(rule.is_seen(i, j) &&
                     (!rule.by_word || words[static_cast<std::size_t>(i)] == words[static_cast<std::size_t>(j)]));
    }
    const double share = 1 / static_cast<double>(std::ranges::count(seen, true));
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (seen[j] ? !near(row[j], share, 1e-6) : row[j] != 0) {
        return false;
      }
    }
  }
  return true;
}

/// The token that every token attends to, if the weights follow a rule.
void pattern(Noticing& notice, const Numbers& numbers) {
  if (!notice.is_square_of_tokens()) {
    return;
  }
  const auto words = notice.has_words() ? notice.tokens : std::span<const std::string>();
  const auto size = static_cast<std::size_t>(numbers.width * numbers.width);
  std::vector<std::string> found;  // of each square; empty if it follows no rule
  for (std::size_t first = 0; first < numbers.all().size(); first += size) {
    const auto rule = std::ranges::find_if(
        rules, [&](const Rule& one) { return follows(numbers.all().subspan(first, size), numbers.width, words, one); });
    found.emplace_back(rule == std::end(rules) ? "" : rule->words);
  }
  const auto say_if_one = [&](std::size_t first, std::size_t every, const std::string& who) {
    for (std::size_t i = first; i < found.size(); i += every) {
      if (found[i].empty() || found[i] != found[first]) {
        return false;
      }
    }
    notice.say(who + "each token " + found[first]);
    return true;
  };
  if (!say_if_one(0, 1, "") && numbers.shape.size() == 4 && counts_heads(notice.tensor, 1)) {
    const auto heads = static_cast<std::size_t>(numbers.shape[1]);
    for (std::size_t head = 0; head < heads; ++head) {
      say_if_one(head, heads, head_name(static_cast<std::int64_t>(head)) + ": ");
    }
  }
}

// ---- The largest weights ---------------------------------------------------------------------------

void say_rows_sum_to_one(Noticing& notice, const std::string& again = "") {
  notice.say((notice.tensor.dim() == 1 ? "the weights sum to 1" : "each row sums to 1") + again);
}

/// Softmax along the first axis.
void weights_over_axis_0(Noticing& notice, const Numbers& numbers) {
  if (notice.tensor.dim() < 2 || notice.tensor.operation().facts().axis != 0) {
    return;
  }
  const auto all = numbers.all();
  std::vector<double> totals(all.size() / static_cast<std::size_t>(numbers.shape[0]));
  for (std::size_t i = 0; i < all.size(); ++i) {
    totals[i % totals.size()] += static_cast<double>(all[i]);
  }
  if (std::ranges::all_of(totals, [](double total) { return near(total, 1); })) {
    notice.say(notice.tensor.dim() == 2 ? "each column sums to 1, not each row"
                                        : "numbers at the same position of all batch entries sum to 1; rows do not");
  }
}

void first_row_alone(Noticing& notice, const Numbers& numbers) {
  for (std::int64_t i = 0; i < numbers.rows; i += numbers.width) {
    if (numbers.row(i)[0] != 1) {
      return;
    }
  }
  notice.say("the first row has all its weight, 1, in the first column" +
             (notice.has_words(numbers.shape.size() - 2) ? ": " + notice.token(0) + " attends only to itself" : ""));
}

/// Mentions a runner-up that looks the same at four digits, so that readers do not doubt the maximum.
std::string tie_words(const Noticing& notice, std::span<const float> values, std::int64_t best) {
  const std::string shown = number_text(values[static_cast<std::size_t>(best)]);
  std::vector<std::int64_t> same;
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    if (i != best && number_text(values[static_cast<std::size_t>(i)]) == shown) {
      same.push_back(i);
    }
  }
  return same.empty()       ? ""
         : same.size() == 1 ? " (" + notice.token(same[0]) + " differs only in later digits)"
                            : " (" + std::to_string(same.size()) + " others differ only in later digits)";
}

void strongest_of_one(Noticing& notice, const Numbers& numbers) {
  const auto best = only_largest(numbers.all());
  const auto query = token_of(notice.tensor);
  if (!best) {
    return;
  }
  const std::string value = number_text(numbers.at(*best));
  if (query && notice.has_words(0)) {
    notice.say(notice.token(*query) + " attends most to " + notice.token_or_itself(*best, *query) + ", " + value +
               tie_words(notice, numbers.all(), *best));
  } else {
    notice.say("the largest weight is " + value + ", at [" + std::to_string(*best) + "]");
  }
}

/// Counts votes by word, because tokens of the same word have the same key; rows whose largest weight is that of
/// several words have no vote.
void favourite(Noticing& notice, const Numbers& numbers) {
  if (numbers.shape.size() != 2 || !notice.has_words() || numbers.rows < 2) {
    return;
  }
  const auto& tokens = notice.tokens;
  std::vector<float> votes(tokens.size());  // by a word's first place
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    const auto row = numbers.row(i);
    std::set<std::ptrdiff_t> places;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == std::ranges::max(row)) {
        places.insert(std::ranges::find(tokens, tokens[j]) - tokens.begin());
      }
    }
    if (places.size() == 1) {
      ++votes[static_cast<std::size_t>(*places.begin())];
    }
  }
  const auto winner = only_largest(votes);
  const auto count = static_cast<std::int64_t>(std::ranges::max(votes));
  if (winner && count > 1) {
    notice.say((count == numbers.rows ? "all " + std::to_string(count) : count_text(count, numbers.rows)) +
               " tokens attend most to \"" + tokens[static_cast<std::size_t>(*winner)] + '"');
  }
}

/// The largest weight of a matrix, or of the first of equal batch entries, from row `first_row` on.
void strongest(Noticing& notice, const Numbers& numbers, std::int64_t first_row) {
  const std::int64_t height = notice.tensor.size(-2);
  const std::int64_t rows = are_slices_equal(notice.tensor) ? numbers.rows / numbers.shape[0] : numbers.rows;
  std::vector<float> considered;
  for (std::int64_t i = 0; i < rows * numbers.width; ++i) {
    considered.push_back(i / numbers.width % height < first_row ? -1 : numbers.at(i));
  }
  const auto best = only_largest(considered);
  if (!best || (first_row > 0 && height < 3)) {
    return;
  }
  notice.say((first_row > 0 ? "below the first row, the largest weight is " : "the largest weight is ") +
             number_text(numbers.at(*best)) + ", at " + place_text(*best, numbers.shape) +
             notice.pair_words(*best, " attends to "));
  if (first_row == 0) {
    favourite(notice, numbers);
  }
}

void spread(Noticing& notice, const Numbers& numbers) {
  const auto [least, most] = std::ranges::minmax(numbers.all());
  const std::string even = number_text(1.0 / static_cast<double>(numbers.width));
  notice.say(least == most ? "all weights are equal: " + even
                           : "weights range " + range_text(numbers.all()) + "; equal weights would be " + even);
}

// ---- Softmax step by step --------------------------------------------------------------------------

/// How many rows of exponentials of what is at most 0 have a 1.
void relative_to_maximum(Noticing& notice, const Numbers& numbers) {
  std::int64_t ones = 0;
  for (std::int64_t row = 0; row < numbers.rows; ++row) {
    ones += std::ranges::count(numbers.row(row), 1.0F) > 0 ? 1 : 0;
  }
  const std::string count = count_text(ones, numbers.rows);
  if (notice.operand(0).operands()[0].kind() == Kind::largest) {
    notice.say(count + (ones == 1 ? " factors is" : " factors are") + " 1: there the maximum stays");
  } else {
    notice.say(count + (ones == 1 ? " rows has" : " rows have") + " a 1: there this block has the maximum so far");
  }
}

}  // namespace

void notice_weights(Noticing& notice, const Numbers& numbers) {
  if (!has_weight_rows(numbers)) {
    return weights_over_axis_0(notice, numbers);
  }
  say_rows_sum_to_one(notice);
  const Numbers scores(notice.operand(0));
  const bool was_masked = is_above_diagonal(scores, minus_infinity);
  if (was_masked && is_above_diagonal(numbers, 0)) {
    notice.say("entries above the diagonal are 0, because exp(-inf) is 0: no token attends to a later one");
    first_row_alone(notice, numbers);
  }
  if (numbers.width < 2) {
    return;
  }
  if (notice.tensor.dim() == 1) {
    strongest_of_one(notice, numbers);
  } else {
    strongest(notice, numbers, was_masked ? 1 : 0);
  }
  // Rows of masked scores share their weight among fewer tokens.
  if (std::ranges::count(scores.all(), minus_infinity) == 0) {
    spread(notice, numbers);
  }
  pattern(notice, numbers);
}

/// Numbers divided by their row's sum.
void notice_proportions(Noticing& notice, const Numbers& numbers) {
  const Tensor& sum = notice.operand(1);
  if (sum.kind() != Kind::sum || sum.operands()[0].id() != notice.operand(0).id()) {
    return;
  }
  const auto all = numbers.all();
  if (!std::ranges::all_of(all, [](float x) { return x >= 0; })) {
    if (std::ranges::all_of(all, [](float x) { return std::isfinite(x); })) {
      notice.say("some entries are negative, so they are not proportions");
    }
    return;
  }
  if (!has_weight_rows(numbers)) {
    return;
  }
  const bool was_masked = is_above_diagonal(numbers, 0);
  say_rows_sum_to_one(notice, was_masked ? " again" : "");
  if (was_masked) {
    notice.say("entries above the diagonal are still 0");
    first_row_alone(notice, numbers);
    pattern(notice, numbers);
  } else if (notice.tensor.dim() > 1) {
    strongest(notice, numbers, 0);
  } else if (numbers.width > 1) {
    strongest_of_one(notice, numbers);
  }
}

void notice_exponentials(Noticing& notice, const Numbers& numbers) {
  if (notice.operand(0).kind() == Kind::subtracted) {
    return relative_to_maximum(notice, numbers);
  }
  if (!std::ranges::all_of(numbers.all(), [](float x) { return x > 0; })) {
    return;
  }
  const auto best = only_largest(numbers.all());
  notice.say("all entries are above 0" +
             (best ? "; the largest is " + number_text(numbers.at(*best)) + ", from a score of " +
                         number_text(Numbers(notice.operand(0)).at(*best))
                   : ""));
}

void notice_sums(Noticing& notice, const Numbers& numbers) {
  const auto all = numbers.all();
  const bool are_ones = std::ranges::all_of(all, [](float x) { return near(x, 1); });
  const bool are_exact = std::ranges::all_of(all, [](float x) { return x == 1; });
  const std::string one = std::string("1") + (are_exact ? "" : ", up to rounding");
  if (notice.tensor.dim() == 0) {
    notice.say("the sum is " + (are_ones ? one : number_text(all[0])));
  } else if (are_ones) {
    notice.say("every sum is " + one);
  } else {
    notice.say("sums range " + range_text(all) + ", with mean " +
               number_text(row_total(all) / static_cast<double>(all.size())));
  }
}

void notice_softmax_gradient(Noticing& notice, const Numbers& numbers) {
  double largest = 0;
  double furthest = 0;
  for (std::int64_t row = 0; row < numbers.rows; ++row) {
    for (const float value : numbers.row(row)) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    furthest = std::max(furthest, std::abs(row_total(numbers.row(row))));
  }
  if (!(furthest <= 1e-5 * largest) || numbers.width < 2) {
    return;
  }
  notice.say("each row sums to 0, up to rounding: what one score gains, others lose");
  if (std::ranges::count(numbers.row(0), 0.0F) == numbers.width && Numbers(notice.operand(1)).row(0)[0] == 1) {
    notice.say("the first row is 0: its only weight is 1, and no score changes that");
  }
}

}  // namespace attn::render
