// Notices about attention weights, masks, scaling and dropout.

#include "lesson/noticing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "text/numbers.hpp"

namespace attn::render {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Says what happened to the kept weights.
std::string kept_words(double scale) {
  return scale == 1 ? "; kept ones are unchanged" : "; kept ones are multiplied by " + text::factor_text(scale);
}

}  // namespace

void Noticing::say_rows_sum_to_one(const std::string& again) {
  say((tensor_.dim() == 1 ? "the weights sum to 1" : "each row sums to 1") + again);
}

void Noticing::weights_over_axis_0(const Numbers& numbers) {
  if (tensor_.dim() < 2 || tensor_.operation().facts().axis != 0) {
    return;
  }
  const auto all = numbers.all();
  const std::size_t size = all.size() / static_cast<std::size_t>(numbers.shape[0]);
  for (std::size_t i = 0; i < size; ++i) {
    double total = 0;
    for (std::size_t j = i; j < all.size(); j += size) {
      total += static_cast<double>(all[j]);
    }
    if (!near(total, 1)) {
      return;
    }
  }
  say(tensor_.dim() == 2 ? "each column sums to 1, not each row"
                         : "numbers at the same position of all batch entries sum to 1; rows do not");
}

void Noticing::weights(const Numbers& numbers) {
  if (!has_weight_rows(numbers)) {
    weights_over_axis_0(numbers);
    return;
  }
  say_rows_sum_to_one();
  const Numbers scores(operand(0));
  const bool was_masked = is_above_diagonal(scores, minus_infinity);
  if (was_masked && is_above_diagonal(numbers, 0)) {
    say("entries above the diagonal are 0, because exp(-inf) is 0: no token attends to a later one");
    first_row_alone(numbers);
  }
  if (numbers.width < 2) {
    return;
  }
  if (tensor_.dim() == 1) {
    strongest_of_one(numbers);
  } else {
    strongest(numbers, was_masked ? 1 : 0);
  }
  // Rows of masked scores share their weight among fewer tokens.
  if (std::ranges::find(scores.all(), minus_infinity) == scores.all().end()) {
    spread(numbers);
  }
  pattern(numbers);
}

void Noticing::first_row_alone(const Numbers& numbers) {
  for (std::int64_t i = 0; i < numbers.rows; i += numbers.width) {
    if (numbers.row(i)[0] != 1) {
      return;
    }
  }
  const std::size_t axis = numbers.shape.size() - 2;
  const std::string who = has_words(tensor_, axis) ? ": " + token(0) + " attends only to itself" : "";
  say("the first row has all its weight, 1, in the first column" + who);
}

std::string Noticing::tie_words(std::span<const float> values, std::int64_t best) const {
  std::int64_t same = 0;
  std::int64_t other = -1;
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    if (i != best && text::number_text(values[static_cast<std::size_t>(i)]) ==
                         text::number_text(values[static_cast<std::size_t>(best)])) {
      ++same;
      other = i;
    }
  }
  if (same == 0) {
    return "";
  }
  return same == 1 ? " (" + token(other) + " differs only in later digits)"
                   : " (" + std::to_string(same) + " others differ only in later digits)";
}

void Noticing::strongest_of_one(const Numbers& numbers) {
  const auto best = only_largest(numbers.all());
  const auto query = token_of(tensor_);
  if (!best) {
    return;
  }
  const std::string value = text::number_text(numbers.at(*best));
  if (query && has_words(tensor_, 0)) {
    say(token(*query) + " attends most to " + token_or_itself(*best, *query) + ", " + value +
        tie_words(numbers.all(), *best));
  } else {
    say("the largest weight is " + value + ", at [" + std::to_string(*best) + "]");
  }
}

void Noticing::strongest(const Numbers& numbers, std::int64_t first_row) {
  const std::size_t axes = numbers.shape.size();
  const std::int64_t height = numbers.shape[axes - 2];
  const std::int64_t rows = are_slices_equal(tensor_) ? numbers.rows / numbers.shape[0] : numbers.rows;
  std::optional<std::int64_t> best;
  bool is_only = true;
  for (std::int64_t i = 0; i < rows * numbers.width; ++i) {
    if (i / numbers.width % height < first_row) {
      continue;
    }
    const float value = numbers.at(i);
    const float largest = best ? numbers.at(*best) : -1.0F;
    if (value >= largest) {
      is_only = value > largest;
      best = i;
    }
  }
  if (!best || !is_only || (first_row > 0 && height < 3)) {
    return;
  }
  const std::string value = text::number_text(numbers.at(*best));
  say((first_row > 0 ? "below the first row, the largest weight is " : "the largest weight is ") + value + ", at " +
      place_text(*best, numbers.shape) + pair_words(*best, height, numbers.width, " attends to "));
  if (first_row == 0) {
    favourite(numbers);
  }
}

std::string Noticing::pair_words(std::int64_t position, std::int64_t height, std::int64_t width,
                                 const std::string& verb) const {
  const std::size_t axes = tensor_.shape().size();
  if (!has_words(tensor_, axes - 1) || !has_words(tensor_, axes - 2)) {
    return "";
  }
  const std::int64_t row = position / width % height;
  return ": " + token(row) + verb + token_or_itself(position % width, row);
}

/// The word whose tokens alone have the row's largest weight, as its first place in the text; empty for several words.
std::optional<std::size_t> Noticing::most_attended(std::span<const float> row) const {
  const float largest = *std::max_element(row.begin(), row.end());
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != largest) {
      continue;
    }
    const auto first =
        static_cast<std::size_t>(std::find(tokens_.begin(), tokens_.end(), tokens_[i]) - tokens_.begin());
    if (place && *place != first) {
      return std::nullopt;
    }
    place = first;
  }
  return place;
}

/// Counts votes by word, because tokens of the same word have the same key.
void Noticing::favourite(const Numbers& numbers) {
  if (numbers.shape.size() != 2 || !has_words(tensor_, 1) || !has_words(tensor_, 0) || numbers.rows < 2) {
    return;
  }
  std::vector<float> votes(static_cast<std::size_t>(numbers.width));
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    if (const auto best = most_attended(numbers.row(i))) {
      ++votes[*best];
    }
  }
  const auto winner = only_largest(votes);
  const auto count = winner ? static_cast<std::int64_t>(votes[static_cast<std::size_t>(*winner)]) : 0;
  if (count > 1) {
    say((count == numbers.rows ? "all " + std::to_string(count) : count_text(count, numbers.rows)) +
        " tokens attend most to \"" + tokens_[static_cast<std::size_t>(*winner)] + '"');
  }
}

void Noticing::spread(const Numbers& numbers) {
  const auto all = numbers.all();
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  const std::string even = text::number_text(1.0 / static_cast<double>(numbers.width));
  if (*least == *most) {
    say("all weights are equal: " + even);
  } else {
    say("weights range from " + text::number_text(*least) + " to " + text::number_text(*most) +
        "; equal weights would be " + even);
  }
}

void Noticing::masked(const Numbers& numbers) {
  const Numbers before(operand(0));
  const auto mask_contents = operand(1).array().contents();
  const auto mask = bools(*mask_contents);
  const auto all = numbers.all();
  std::optional<float> filled;
  std::int64_t count = 0;
  bool is_rest_same = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!mask[i % mask.size()]) {
      is_rest_same = is_rest_same && all[i] == before.all()[i];
      continue;
    }
    filled = all[i];
    ++count;
  }
  if (!filled) {
    say("nothing is masked");
    return;
  }
  const std::string value = *filled == minus_infinity ? "-inf" : text::factor_text(*filled);
  say(count_text(count, std::ssize(all)) +
      (counts_pairs()  ? " weights"
       : is_gradient() ? " gradients"
                       : " scores") +
      (count == 1 ? " is now " : " are now ") + value + (is_rest_same ? ", the rest are unchanged" : ""));
  if (is_above_diagonal(numbers, *filled)) {
    say("entries above the diagonal are " + value);
  }
  if (has_weight_rows(before) && !has_weight_rows(numbers)) {
    row_sums_after(numbers, 1);
  }
}

void Noticing::scaled(const Numbers& numbers) {
  const Numbers before(operand(0));
  const auto divisor = common_divisor(before.all(), numbers.all());
  if (!divisor || tensor_.dim() == 0) {
    return;
  }
  if (operand(0).kind() == Kind::sum) {
    say("each sum is divided by " + text::factor_text(*divisor));
    return;
  }
  const double square = *divisor * *divisor;
  const bool is_root = near(square, std::round(square), 1e-5) && tensor_.operation().facts().root_of > 0;
  say((is_gradient() ? "every gradient is divided by " : "every score is divided by ") + text::factor_text(*divisor) +
      (is_root ? ", the square root of " + text::factor_text(std::round(square)) : ""));
  const auto is_infinite = [](float x) { return x == minus_infinity; };
  if (std::any_of(numbers.all().begin(), numbers.all().end(), is_infinite)) {
    say("-inf stays -inf");
  }
}

std::optional<double> Noticing::common_divisor(std::span<const float> before, std::span<const float> after) {
  std::optional<std::size_t> from;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_usable = std::isfinite(before[i]) && std::isnormal(after[i]);
    if (is_usable && (!from || std::abs(before[i]) > std::abs(before[*from]))) {
      from = i;
    }
  }
  if (!from) {
    return std::nullopt;
  }
  const double divisor = static_cast<double>(before[*from]) / static_cast<double>(after[*from]);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double expected = static_cast<double>(before[i]) / divisor;
    const double difference = std::abs(static_cast<double>(after[i]) - expected);
    if (before[i] == after[i] && !std::isfinite(before[i])) {
      continue;
    }
    if (!(difference <= 1e-6 * std::abs(expected) + 1e-37)) {
      return std::nullopt;
    }
  }
  return divisor;
}

void Noticing::dropped(const Numbers& numbers) {
  const Numbers before(operand(0));
  const auto mask_contents = operand(1).array().contents();
  const auto mask = bools(*mask_contents);
  const auto count = std::count(mask.begin(), mask.end(), false);
  std::int64_t counting = 0;
  std::vector<float> kept_before;
  std::vector<float> kept_after;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) {
      kept_before.push_back(before.all()[i]);
      kept_after.push_back(numbers.all()[i]);
    } else {
      counting += before.all()[i] != 0;
      if (numbers.all()[i] != 0) {
        return;
      }
    }
  }
  const auto divisor = common_divisor(kept_before, kept_after);
  if (count == 0 && are_equal(before.all(), numbers.all())) {
    say("nothing is dropped: the numbers are unchanged");
    return;
  }
  say(count_text(count, std::ssize(mask)) + (counts_pairs() ? " weights" : " entries") + " dropped" +
      (counting < count ? " (" + std::to_string(count - counting) + " of them " +
                              (count - counting == 1 ? "was" : "were") + " already 0)"
                        : "") +
      (divisor ? kept_words(1 / *divisor) : ""));
  if (tensor_.dim() > 0 && has_weight_rows(before)) {
    row_sums_after(numbers, divisor ? 1 / *divisor : 0);
  } else {
    means(before, numbers);
  }
}

void Noticing::means(const Numbers& before, const Numbers& after) {
  const auto count = static_cast<double>(before.all().size());
  say("the mean changes from " + text::number_text(row_total(before.all()) / count) + " to " +
      text::number_text(row_total(after.all()) / count));
}

void Noticing::row_sums_after(const Numbers& numbers, double scale) {
  std::vector<std::int64_t> empty;
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;
  std::vector<double> totals;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    totals.push_back(row_total(numbers.row(i)));
    const auto total_of = [&](std::int64_t row) { return totals[static_cast<std::size_t>(row)]; };
    if (totals.back() == 0) {
      empty.push_back(i);
      continue;
    }
    least = !least || totals.back() < total_of(*least) ? i : *least;
    most = !most || totals.back() > total_of(*most) ? i : *most;
  }
  if (least && *least != *most && !near(totals[static_cast<std::size_t>(*least)], 1)) {
    say("some rows no longer sum to 1: " + row_words(numbers, *least) + " sums to " +
        text::number_text(totals[static_cast<std::size_t>(*least)]) + ", " + row_words(numbers, *most) + " to " +
        text::number_text(totals[static_cast<std::size_t>(*most)]) +
        (near(totals[static_cast<std::size_t>(*most)], scale) ? ", because it lost no weight" : ""));
  } else if (least && *least == *most && !near(totals[static_cast<std::size_t>(*least)], 1)) {
    say(row_words(numbers, *least) + " sums to " + text::number_text(totals[static_cast<std::size_t>(*least)]) +
        ", not to 1");
  }
  say_empty(numbers, empty, " all 0: every weight there was dropped");
}

void Noticing::say_empty(const Numbers& numbers, const std::vector<std::int64_t>& rows, const std::string& reason) {
  constexpr std::size_t shown = 3;
  if (rows.empty()) {
    return;
  }
  if (static_cast<std::int64_t>(rows.size()) == numbers.rows) {
    say("all entries are now 0");
    return;
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i) {
    list += (i == 0 ? "" : ", ") + row_words(numbers, rows[i]);
  }
  if (rows.size() > shown) {
    list += " and " + std::to_string(rows.size() - shown) + " more";
  }
  say(list + (rows.size() == 1 ? " is" : " are") + reason);
}

}  // namespace attn::render
