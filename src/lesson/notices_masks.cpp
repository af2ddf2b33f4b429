// Notices about what happens to scores and weights: masks, scaling, dropout, factors.

#include <cmath>

#include "lesson/noticing.hpp"

namespace attn::render {
namespace {

using text::factor_text;
using text::number_text;

/// The divisor of all of `before`, taken from the largest number, where rounding matters least.
std::optional<double> common_divisor(std::span<const float> before, std::span<const float> after) {
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
    const bool is_same_infinity = before[i] == after[i] && !std::isfinite(before[i]);
    if (!is_same_infinity && !(difference <= 1e-6 * std::abs(expected) + 1e-37)) {
      return std::nullopt;
    }
  }
  return divisor;
}

/// Rows that summed to 1 before: those that lost everything, and the smallest and largest sums now.
void row_sums_after(Noticing& notice, const Numbers& numbers, double scale) {
  std::vector<std::int64_t> empty;
  std::vector<std::pair<double, std::int64_t>> sums;  // of the others, with their rows
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    const double total = row_total(numbers.row(i));
    if (total == 0) {
      empty.push_back(i);
    } else {
      sums.emplace_back(total, i);
    }
  }
  const auto by_sum = [](const auto& one, const auto& other) { return one.first < other.first; };
  const auto least = std::min_element(sums.begin(), sums.end(), by_sum);
  const auto most = std::max_element(sums.begin(), sums.end(), by_sum);
  if (least != sums.end() && !near(least->first, 1)) {
    const std::string sum = notice.row_words(least->second) + " sums to " + number_text(least->first);
    notice.say(least == most
                   ? sum + ", not to 1"
                   : "some rows no longer sum to 1: " + sum + ", " + notice.row_words(most->second) + " to " +
                         number_text(most->first) + (near(most->first, scale) ? ", because it lost no weight" : ""));
  }
  notice.say_empty(empty, numbers.rows, " all 0: every weight there was dropped");
}

std::string mean_text(const Numbers& numbers) {
  return number_text(row_total(numbers.all()) / static_cast<double>(numbers.all().size()));
}

/// The bias of the most distant tokens in each head.
void lost_with_distance(Noticing& notice, const Numbers& numbers) {
  constexpr std::int64_t most_heads = 8;
  const std::int64_t n = numbers.width;
  if (n < 2 || numbers.shape[0] > most_heads) {
    return;
  }
  std::string each;
  for (std::int64_t head = 0; head < numbers.shape[0]; ++head) {
    each += (head == 0 ? "" : ", ") + head_name(head) + " " + number_text(numbers.row((head + 1) * n - 1)[0]);
  }
  notice.say("the last token's bias for the first, " + std::to_string(n - 1) + " back: " + each);
}

}  // namespace

void notice_mask(Noticing& notice, const Numbers& numbers) {
  const Numbers before(notice.operand(0));
  const auto mask_contents = notice.operand(1).array().contents();
  const auto mask = bools(*mask_contents);
  const auto all = numbers.all();
  std::optional<float> filled;
  std::int64_t count = 0;
  bool is_rest_same = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (mask[i % mask.size()]) {
      filled = all[i];
      ++count;
    } else {
      is_rest_same = is_rest_same && all[i] == before.all()[i];
    }
  }
  if (!filled) {
    notice.say("nothing is masked");
    return;
  }
  const std::string value = *filled == minus_infinity ? "-inf" : factor_text(*filled);
  const std::string what = notice.counts_pairs() ? " weights" : notice.is_gradient() ? " gradients" : " scores";
  notice.say(count_text(count, std::ssize(all)) + what + (count == 1 ? " is now " : " are now ") + value +
             (is_rest_same ? ", the rest are unchanged" : ""));
  if (is_above_diagonal(numbers, *filled)) {
    notice.say("entries above the diagonal are " + value);
  }
  if (has_weight_rows(before) && !has_weight_rows(numbers)) {
    row_sums_after(notice, numbers, 1);
  }
}

void notice_scaling(Noticing& notice, const Numbers& numbers) {
  const auto divisor = common_divisor(Numbers(notice.operand(0)).all(), numbers.all());
  if (!divisor || notice.tensor.dim() == 0) {
    return;
  }
  if (notice.operand(0).kind() == Kind::sum) {
    notice.say("each sum is divided by " + factor_text(*divisor));
    return;
  }
  const double square = *divisor * *divisor;
  const bool is_root = near(square, std::round(square), 1e-5) && notice.tensor.operation().facts().root_of > 0;
  notice.say((notice.is_gradient() ? "every gradient is divided by " : "every score is divided by ") +
             factor_text(*divisor) + (is_root ? ", the square root of " + factor_text(std::round(square)) : ""));
  if (std::ranges::count(numbers.all(), minus_infinity) > 0) {
    notice.say("-inf stays -inf");
  }
}

void notice_dropout(Noticing& notice, const Numbers& numbers) {
  const Numbers before(notice.operand(0));
  const auto mask_contents = notice.operand(1).array().contents();
  const auto mask = bools(*mask_contents);
  const auto count = std::ranges::count(mask, false);
  std::int64_t zeros = 0;  // dropped, but 0 before
  std::vector<float> kept_before;
  std::vector<float> kept_after;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) {
      kept_before.push_back(before.all()[i]);
      kept_after.push_back(numbers.all()[i]);
    } else if (numbers.all()[i] != 0) {
      return;
    } else {
      zeros += before.all()[i] == 0 ? 1 : 0;
    }
  }
  if (count == 0 && are_equal(before.all(), numbers.all())) {
    notice.say("nothing is dropped: the numbers are unchanged");
    return;
  }
  const auto divisor = common_divisor(kept_before, kept_after);
  const double scale = divisor ? 1 / *divisor : 0;
  notice.say(
      count_text(count, std::ssize(mask)) + (notice.counts_pairs() ? " weights" : " entries") + " dropped" +
      (zeros > 0 ? " (" + std::to_string(zeros) + " of them " + (zeros == 1 ? "was" : "were") + " already 0)" : "") +
      (!divisor     ? ""
       : scale == 1 ? "; kept ones are unchanged"
                    : "; kept ones are multiplied by " + factor_text(scale)));
  if (notice.tensor.dim() > 0 && has_weight_rows(before)) {
    row_sums_after(notice, numbers, scale);
  } else {
    notice.say("the mean changes from " + mean_text(before) + " to " + mean_text(numbers));
  }
}

void notice_multiplied(Noticing& notice, const Numbers& numbers) {
  if (notice.operand(1).dtype() == DType::boolean) {
    return notice_dropout(notice, numbers);
  }
  if (notice.operand(1).kind() == Kind::subtracted && numbers.shape.size() == 3) {
    return lost_with_distance(notice, numbers);
  }
  if (!is_above_diagonal(numbers, 0)) {
    return;
  }
  notice.say("entries above the diagonal are now 0");
  const double first = row_total(numbers.row(0));
  const double last = row_total(numbers.row(numbers.rows - 1));
  if (has_weight_rows(Numbers(notice.operand(0))) && numbers.rows > 1 && !near(first, 1) && near(last, 1)) {
    notice.say("the rows no longer sum to 1: the first sums to " + number_text(first) + "; the last still sums to 1");
  }
}

}  // namespace attn::render
