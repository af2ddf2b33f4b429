// Notices about products: scores and context vectors.

#include <cmath>

#include "lesson/noticing.hpp"
#include "walk/rotation.hpp"

namespace attn::render {
namespace {

using text::number_text;

// ---- Context vectors -------------------------------------------------------------------------------

/// Returns true if each column of each matrix lies between the smallest and the largest number of the values' column.
bool lies_between(const Numbers& numbers, const Numbers& values) {
  const std::int64_t height = values.shape[values.shape.size() - 2];
  const std::int64_t matrices = values.rows / height;
  const std::int64_t rows = numbers.rows / matrices;
  for (std::int64_t matrix = 0; matrix < matrices; ++matrix) {
    for (std::size_t column = 0; column < static_cast<std::size_t>(values.width); ++column) {
      float least = values.row(matrix * height)[column];
      float most = least;
      for (std::int64_t i = 1; i < height; ++i) {
        least = std::min(least, values.row(matrix * height + i)[column]);
        most = std::max(most, values.row(matrix * height + i)[column]);
      }
      const float room = 1e-5F * std::max(std::abs(least), std::abs(most));
      for (std::int64_t i = 0; i < rows; ++i) {
        const float x = numbers.row(matrix * rows + i)[column];
        if (!(x >= least - room && x <= most + room)) {
          return false;
        }
      }
    }
  }
  return true;
}

/// Returns true if the first row of each matrix attends to itself alone and copies its value.
bool is_first_row_same(const Numbers& numbers, const Numbers& weight, const Numbers& values) {
  if (numbers.shape.size() < 2 || numbers.rows != values.rows || !is_above_diagonal(weight, 0)) {
    return false;
  }
  for (std::int64_t i = 0; i < numbers.rows; i += weight.width) {
    if (!std::ranges::equal(numbers.row(i), values.row(i), [](float a, float b) { return near(a, b, 1e-6); })) {
      return false;
    }
  }
  return true;
}

/// Returns true if each row of weights has a single 1, which copies a row.
bool are_rows_copied(const Numbers& numbers, const Numbers& weight, const Numbers& values) {
  if (weight.shape.size() < 2 || weight.width < 2) {
    return false;
  }
  const std::int64_t height = weight.rows / (values.rows / weight.width);
  for (std::int64_t i = 0; i < weight.rows; ++i) {
    const auto row = weight.row(i);
    const auto one = std::ranges::find(row, 1.0F);
    if (one == row.end() || std::ranges::count(row, 0.0F) != std::ssize(row) - 1 ||
        !std::ranges::equal(numbers.row(i), values.row(i / height * weight.width + (one - row.begin())))) {
      return false;
    }
  }
  return true;
}

void mixture(Noticing& notice, const Numbers& numbers) {
  const Numbers weight(notice.operand(0));
  const Numbers values(notice.operand(1));
  const std::string name = notice.operand(1).words();
  if (has_weight_rows(weight)) {
    if (lies_between(numbers, values)) {
      notice.say((notice.tensor.dim() == 1 ? "a weighted average of the rows of "
                                           : "each row is a weighted average of rows of ") +
                 name + ": each number lies within the range of its column there");
    }
    if (is_first_row_same(numbers, weight, values)) {
      notice.say("the first row equals the first row of " + name + ": the first token attends only to itself");
    }
    if (are_rows_copied(numbers, weight, values)) {
      notice.say("each row is a copy of one row of " + name + ", the one with a weight of 1");
    }
    return;
  }
  const auto is_zero = [](float x) { return x == 0; };
  std::vector<std::int64_t> empty;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    if (std::ranges::all_of(weight.row(i), is_zero) && std::ranges::all_of(numbers.row(i), is_zero)) {
      empty.push_back(i);
    }
  }
  notice.say_empty(empty, numbers.rows, " all 0, because all weights there are 0");
}

// ---- Scores ----------------------------------------------------------------------------------------

/// Scores of 0 and one other number, and how the queries follow from the keys there.
void matches(Noticing& notice, const Numbers& numbers) {
  const auto all = numbers.all();
  const float score = std::ranges::max(all);
  if (!(score > 0) || !std::isfinite(score) || std::ranges::count(all, score) == std::ssize(all) ||
      std::ranges::count(all, score) + std::ranges::count(all, 0.0F) != std::ssize(all)) {
    return;
  }
  const std::string number = text::factor_text(static_cast<double>(score));
  notice.say("every score is " + number + ", where a key has what the query asks for, or 0");
  const Numbers queries(notice.operand(0));
  const Tensor& columns = notice.operand(1);
  if (columns.kind() != Kind::transpose || numbers.rows != queries.rows) {
    return;
  }
  const Numbers keys(columns.operands()[0]);
  const std::int64_t height = numbers.rows / (keys.rows / numbers.width);
  for (std::int64_t i = 0; i < std::ssize(all); ++i) {
    const std::int64_t row = i / numbers.width;
    const auto key = keys.row(row / height * numbers.width + i % numbers.width);
    const auto is_part = [score](float k, float q) { return q == score * k; };
    if (numbers.at(i) == score && !std::ranges::equal(key, queries.row(row), is_part)) {
      return;
    }
  }
  notice.say("there the query is " + number + " times the key");
}

void scores_of_one(Noticing& notice, const Numbers& numbers) {
  const auto query = token_of(notice.tensor);
  if (numbers.width < 2 || !counts_tokens(notice.tensor, 0) || !query) {
    return;
  }
  const auto all = numbers.all();
  std::vector<float> negated;
  std::ranges::transform(all, std::back_inserter(negated), [](float x) { return -x; });
  const auto best = only_largest(all);
  const auto worst = only_largest(negated);
  if (!best || !worst) {
    return;
  }
  const std::string high = number_text(numbers.at(*best));
  const std::string low = number_text(numbers.at(*worst));
  if (notice.has_words(0)) {
    notice.say(notice.token(*query) + " scores highest with " + notice.token_or_itself(*best, *query) + ", " + high +
               ", lowest with " + notice.token_or_itself(*worst, *query) + ", " + low);
  } else {
    notice.say("the highest score is " + high + ", at [" + std::to_string(*best) + "], the lowest " + low + ", at [" +
               std::to_string(*worst) + "]");
  }
}

/// Two different numbers with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> told_apart(float a, float b) {
  std::pair<std::string, std::string> texts = {number_text(a), number_text(b)};
  for (int digits = 5; texts.first == texts.second && digits <= 9; ++digits) {
    texts = {number_text(a, std::chars_format::general, digits), number_text(b, std::chars_format::general, digits)};
  }
  return texts;
}

void symmetry(Noticing& notice, const Numbers& numbers) {
  const std::int64_t n = numbers.width;
  bool is_exact = true;
  for (std::int64_t at = 0; at < numbers.rows * n; ++at) {
    const std::int64_t i = at / n;
    const std::int64_t mirrored = (i / n * n + at % n) * n + i % n;
    is_exact = is_exact && (mirrored == at || numbers.at(at) == numbers.at(mirrored));
    if (mirrored > at && !near(numbers.at(at), numbers.at(mirrored), 1e-6)) {
      const auto [one, other] = told_apart(numbers.at(at), numbers.at(mirrored));
      notice.say("not symmetric: " + place_text(at, numbers.shape) + " is " + one + ", " +
                 place_text(mirrored, numbers.shape) + " is " + other);
      return;
    }
  }
  const Tensor& right = notice.operand(1);
  const Tensor& columns = right.kind() == Kind::transpose ? right.operands()[0] : right;
  const std::string rows = notice.operand(0).words();
  notice.say(std::string("symmetric: [i, j] equals [j, i]") + (is_exact ? "" : ", up to rounding") +
             (columns.words() == rows ? ", because both sides are " + rows : ""));
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

void highest(Noticing& notice, const Numbers& numbers) {
  std::int64_t own = 0;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    const auto best = only_largest(numbers.row(i));
    if (!best) {
      return;
    }
    own += *best == i ? 1 : 0;
  }
  if (const auto best = only_largest(numbers.all())) {
    notice.say("the highest score is " + number_text(numbers.at(*best)) + ", at " + place_text(*best, numbers.shape) +
               notice.pair_words(*best, " with "));
  }
  notice.say(own == numbers.rows ? "every token scores highest with itself"
             : own == 0          ? "no token scores highest with itself"
             : own == 1          ? count_text(own, numbers.rows) + " tokens scores highest with itself"
                                 : count_text(own, numbers.rows) + " tokens score highest with themselves");
}

}  // namespace

void notice_product(Noticing& notice, const Numbers& numbers) {
  const Kind left = notice.operand(0).kind();
  if (notice.is_gradient()) {
    return;
  }
  if (notice.tensor.kind() == Kind::weighted_sum || left == Kind::softmax || left == Kind::dropout ||
      left == Kind::divided) {
    mixture(notice, numbers);
  } else if (notice.operand(1).kind() == Kind::transpose) {
    notice_scores(notice, numbers);
    diagonals(notice, numbers);
  }
}

void notice_scores(Noticing& notice, const Numbers& numbers) {
  matches(notice, numbers);
  if (notice.tensor.dim() == 1) {
    return scores_of_one(notice, numbers);
  }
  if (notice.is_square_of_tokens()) {
    symmetry(notice, numbers);
    if (notice.tensor.dim() == 2 && notice.has_words()) {
      highest(notice, numbers);
    }
  }
}

void notice_dot(Noticing& notice, const Numbers&) {
  const auto a = token_of(notice.operand(0));
  const auto b = token_of(notice.operand(1));
  if (a && b && std::max(*a, *b) < std::ssize(notice.tokens)) {
    notice.say(notice.token(*a) + " is compared with " + notice.token_or_itself(*b, *a));
  }
}

}  // namespace attn::render
