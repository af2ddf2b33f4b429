// Notices about scores, weights, what masks, scaling and dropout do to them, and context vectors.

#include <cmath>
#include <string_view>

#include "lesson/numbers.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {
namespace {

using text::factor_text;
using text::number_text;

// ---- Scores ----------------------------------------------------------------------------------------

void scores_of_one(Noticing& notice, const Numbers& numbers) {
  const auto query = token_of(notice.tensor);
  const auto best = only_largest(numbers.all());
  if (numbers.width > 1 && query && best && notice.has_words(0)) {
    notice.say(notice.token(*query) + " scores highest with " + notice.token_or_itself(*best, *query) + ", " +
               number_text(numbers.at(*best)));
  }
}

/// Whether scores[i, j] equals scores[j, i]; pairs that differ only in later digits tell nothing.
void symmetry(Noticing& notice, const Numbers& numbers) {
  const std::int64_t n = numbers.width;
  bool is_near = true;
  bool is_exact = true;
  for (std::int64_t at = 0; at < numbers.rows * n; ++at) {
    const std::int64_t i = at / n;
    const std::int64_t mirrored = (i / n * n + at % n) * n + i % n;
    is_exact = is_exact && (mirrored == at || numbers.at(at) == numbers.at(mirrored));
    if (near(numbers.at(at), numbers.at(mirrored), 1e-6)) {
      continue;
    }
    is_near = mirrored == at && is_near;
    const std::string one = number_text(numbers.at(at));
    const std::string other = number_text(numbers.at(mirrored));
    if (one != other) {
      notice.say("not symmetric: " + place_text(at, numbers.shape) + " is " + one + ", " +
                 place_text(mirrored, numbers.shape) + " is " + other);
      return;
    }
  }
  if (is_near) {
    notice.say(std::string("symmetric: [i, j] equals [j, i]") + (is_exact ? "" : ", up to rounding"));
  }
}

/// Whether scores of rotated vectors depend on the distance alone.
void diagonals(Noticing& notice, const Numbers& numbers) {
  const auto n = static_cast<std::size_t>(numbers.width);
  const Tensor& rows = notice.operand(0);
  const bool is_with_itself = notice.operand(1).operands()[0].id() == rows.id() && is_made_with(rows, {Kind::sine});
  if (notice.tensor.dim() != 2 || numbers.rows != numbers.width || n < 3 || !(rotation_of(rows) || is_with_itself)) {
    return;
  }
  const auto all = numbers.all();
  const auto [least, most] = std::ranges::minmax(all);
  const float room = 1e-5F * std::max(std::abs(least), std::abs(most));
  for (std::size_t at = n; at < all.size(); ++at) {
    if (at % n > 0 && !(std::abs(all[at] - all[at - n - 1]) <= room)) {
      return;
    }
  }
  notice.say("each diagonal holds one number, up to rounding: the " +
             std::string(is_with_itself ? "product" : "score") + " depends on the distance alone");
}

void highest_score(Noticing& notice, const Numbers& numbers) {
  if (const auto best = only_largest(numbers.all())) {
    notice.say("the highest score is " + number_text(numbers.at(*best)) + ", at " + place_text(*best, numbers.shape) +
               notice.pair_words(*best, " with "));
  }
}

// ---- Weights ---------------------------------------------------------------------------------------

/// Each token attends equally to the tokens that it sees, and to no other.
struct Pattern {
  bool (*is_seen)(std::int64_t row, std::int64_t column);
  bool by_word;  ///< of those, only tokens of the row's word are seen
  std::string_view words;
};

constexpr Pattern patterns[] = {
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
bool follows(std::span<const float> weights, std::int64_t n, std::span<const std::string> words, const Pattern& rule) {
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

/// The token that every token attends to, in each head, if the weights follow a rule.
void pattern(Noticing& notice, const Numbers& numbers) {
  if (!notice.is_square_of_tokens()) {
    return;
  }
  const auto words = notice.has_words() ? notice.tokens : std::span<const std::string>();
  const bool has_heads = numbers.shape.size() == 4 && counts_heads(notice.tensor, 1);
  const std::size_t heads = has_heads ? static_cast<std::size_t>(numbers.shape[1]) : 1;
  const std::size_t size = static_cast<std::size_t>(numbers.width * numbers.width);
  std::vector<std::string_view> found(heads);  // empty if a head follows no rule
  for (std::size_t i = 0; i < numbers.all().size() / size; ++i) {
    const auto rule = std::ranges::find_if(patterns, [&](const Pattern& one) {
      return follows(numbers.all().subspan(i * size, size), numbers.width, words, one);
    });
    const std::string_view said = rule == std::end(patterns) ? "" : rule->words;
    found[i % heads] = i < heads || found[i % heads] == said ? said : "";
  }
  const bool are_alike = std::ranges::count(found, found[0]) == std::ssize(found);
  for (std::size_t head = 0; head < (are_alike ? 1 : heads); ++head) {
    if (!found[head].empty()) {
      notice.say((are_alike ? "" : head_name(static_cast<std::int64_t>(head)) + ": ") + "each token " +
                 std::string(found[head]));
    }
  }
}

/// Softmax along the first axis.
void weights_over_axis_0(Noticing& notice, const Numbers& numbers) {
  if (notice.tensor.dim() != 2 || notice.tensor.operation().facts().axis != 0) {
    return;
  }
  std::vector<double> totals(static_cast<std::size_t>(numbers.width));
  for (std::size_t i = 0; i < numbers.all().size(); ++i) {
    totals[i % totals.size()] += static_cast<double>(numbers.all()[i]);
  }
  if (std::ranges::all_of(totals, [](double total) { return near(total, 1); })) {
    notice.say("each column sums to 1, not each row");
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

/// The largest weight of a vector, or of a matrix or the first of equal batch entries; of masked ones, below the first
/// row.
void largest_weight(Noticing& notice, const Numbers& numbers, bool is_masked) {
  const auto all = numbers.all();
  std::vector<float> considered(all.begin(), all.end());
  if (are_slices_equal(notice.tensor)) {
    considered.resize(considered.size() / static_cast<std::size_t>(numbers.shape[0]));
  }
  for (std::size_t i = 0; is_masked && i < considered.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / numbers.width;
    considered[i] = row % numbers.width == 0 ? -1 : considered[i];
  }
  const auto best = only_largest(considered);
  if (!best || (is_masked && numbers.width < 3)) {
    return;
  }
  const std::string value = number_text(numbers.at(*best));
  const auto query = token_of(notice.tensor);
  if (query && notice.has_words(0)) {
    notice.say(notice.token(*query) + " attends most to " + notice.token_or_itself(*best, *query) + ", " + value);
  } else {
    notice.say((is_masked ? "below the first row, the largest weight is " : "the largest weight is ") + value +
               ", at " + place_text(*best, numbers.shape) + notice.pair_words(*best, " attends to "));
  }
}

void spread(Noticing& notice, const Numbers& numbers) {
  const auto [least, most] = std::ranges::minmax(numbers.all());
  const std::string even = number_text(1.0 / static_cast<double>(numbers.width));
  notice.say(least == most ? "all weights are equal: " + even
                           : "weights range " + range_text(numbers.all()) + "; equal weights would be " + even);
}

/// The first row that no longer sums to 1.
void lost_weight(Noticing& notice, const Numbers& numbers) {
  const Shape& shape = numbers.shape;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    if (const double total = row_total(numbers.row(i)); !near(total, 1)) {
      const std::size_t axis = shape.size() < 2 ? 0 : shape.size() - 2;
      const std::string row = shape.size() < 2
                                  ? "the row"
                                  : "row " + place_text(i, std::span(shape).first(axis + 1)) +
                                        (notice.has_words(axis) ? " (" + notice.token(i % shape[axis]) + ")" : "");
      notice.say(row + " sums to " + number_text(total) + ", not to 1");
      return;
    }
  }
}

std::string mean_text(const Numbers& numbers) {
  return number_text(row_total(numbers.all()) / static_cast<double>(numbers.all().size()));
}

}  // namespace

void notice_product(Noticing& notice, const Numbers& numbers) {
  const Kind left = notice.operand(0).kind();
  if (notice.is_gradient()) {
    return;
  }
  if (notice.tensor.kind() == Kind::weighted_sum || left == Kind::softmax || left == Kind::dropout ||
      left == Kind::divided) {
    const bool is_finite = std::ranges::all_of(numbers.all(), [](float x) { return std::isfinite(x); });
    if (is_finite && has_weight_rows(Numbers(notice.operand(0)))) {
      notice.say((notice.tensor.dim() == 1 ? "a weighted average of the rows of "
                                           : "each row is a weighted average of rows of ") +
                 notice.operand(1).words() + ": each number lies within the range of its column there");
    }
  } else if (notice.operand(1).kind() == Kind::transpose) {
    notice_scores(notice, numbers);
    diagonals(notice, numbers);
  }
}

void notice_scores(Noticing& notice, const Numbers& numbers) {
  if (notice.tensor.dim() == 1) {
    return scores_of_one(notice, numbers);
  }
  if (notice.is_square_of_tokens()) {
    symmetry(notice, numbers);
    if (notice.tensor.dim() == 2 && notice.has_words()) {
      highest_score(notice, numbers);
    }
  }
}

/// The weights of softmax, or numbers divided by their row's sum.
void notice_weights(Noticing& notice, const Numbers& numbers) {
  const bool is_softmax = notice.tensor.kind() == Kind::softmax;
  if (!is_softmax &&
      (notice.operand(1).kind() != Kind::sum || notice.operand(1).operands()[0].id() != notice.operand(0).id())) {
    return;
  }
  if (!has_weight_rows(numbers)) {
    return weights_over_axis_0(notice, numbers);
  }
  const Numbers from(notice.operand(0));
  const bool is_masked = is_above_diagonal(from, is_softmax ? minus_infinity : 0) && is_above_diagonal(numbers, 0);
  notice.say(std::string(notice.tensor.dim() == 1 ? "the weights sum to 1" : "each row sums to 1") +
             (is_masked && !is_softmax ? " again" : ""));
  if (is_masked) {
    notice.say(is_softmax ? "entries above the diagonal are 0, because exp(-inf) is 0: no token attends to a later one"
                          : "entries above the diagonal are still 0");
    first_row_alone(notice, numbers);
  }
  if (numbers.width < 2) {
    return;
  }
  largest_weight(notice, numbers, is_masked);
  // Rows of masked scores share their weight among fewer tokens.
  if (is_softmax && std::ranges::count(from.all(), minus_infinity) == 0) {
    spread(notice, numbers);
  }
  pattern(notice, numbers);
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
  if (furthest <= 1e-5 * largest && numbers.width > 1) {
    notice.say("each row sums to 0, up to rounding: what one score gains, others lose");
  }
}

void notice_mask(Noticing& notice, const Numbers& numbers) {
  const Numbers before(notice.operand(0));
  const auto mask_contents = notice.operand(1).array().contents();
  const auto mask = bools(*mask_contents);
  const auto repeats = std::ssize(numbers.all()) / std::ssize(mask);
  const auto count = std::ranges::count(mask, true) * repeats;
  if (count == 0) {
    notice.say("nothing is masked");
    return;
  }
  const double filled = notice.tensor.operation().facts().value;
  const std::string value = filled < 0 && std::isinf(filled) ? "-inf" : factor_text(filled);
  const std::string what = notice.counts_pairs() ? " weights" : notice.is_gradient() ? " gradients" : " scores";
  notice.say(count_text(count, std::ssize(numbers.all())) + what + (count == 1 ? " is now " : " are now ") + value +
             ", the rest are unchanged");
  if (is_above_diagonal(numbers, static_cast<float>(filled))) {
    notice.say("entries above the diagonal are " + value);
  }
  if (has_weight_rows(before)) {
    lost_weight(notice, numbers);
  }
}

void notice_scaling(Noticing& notice, const Numbers& numbers) {
  const Facts facts = notice.tensor.operation().facts();
  const bool is_of_sums = notice.operand(0).kind() == Kind::sum;
  if (notice.tensor.dim() == 0) {
    return;
  }
  notice.say((is_of_sums             ? "each sum is divided by "
              : notice.is_gradient() ? "every gradient is divided by "
                                     : "every score is divided by ") +
             factor_text(facts.value) +
             (facts.root_of > 0 ? ", the square root of " + std::to_string(facts.root_of) : ""));
  if (std::ranges::count(numbers.all(), minus_infinity) > 0) {
    notice.say("-inf stays -inf");
  }
}

void notice_dropout(Noticing& notice, const Numbers& numbers) {
  const Numbers before(notice.operand(0));
  const auto mask_contents = notice.operand(1).array().contents();
  const auto mask = bools(*mask_contents);
  const auto count = std::ranges::count(mask, false);
  const double scale = notice.tensor.kind() == Kind::dropout ? notice.tensor.operation().facts().value : 1;
  if (count == 0 && scale == 1) {
    notice.say("nothing is dropped: the numbers are unchanged");
    return;
  }
  notice.say(count_text(count, std::ssize(mask)) + (notice.counts_pairs() ? " weights" : " entries") + " dropped" +
             (count == std::ssize(mask) ? ""
              : scale == 1              ? "; kept ones are unchanged"
                                        : "; kept ones are multiplied by " + factor_text(scale)));
  if (notice.tensor.dim() > 0 && has_weight_rows(before)) {
    lost_weight(notice, numbers);
  } else if (std::isfinite(row_total(before.all()))) {
    notice.say("the mean changes from " + mean_text(before) + " to " + mean_text(numbers));
  }
}

void notice_multiplied(Noticing& notice, const Numbers& numbers) {
  if (notice.operand(1).dtype() == DType::boolean) {
    notice_dropout(notice, numbers);
  } else if (is_above_diagonal(numbers, 0)) {
    notice.say("entries above the diagonal are now 0");
    if (has_weight_rows(Numbers(notice.operand(0)))) {
      lost_weight(notice, numbers);
    }
  }
}

}  // namespace attn::render
