// Notices about products: scores and context vectors.

#include "lesson/noticing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "text/numbers.hpp"
#include "walk/rotation.hpp"

namespace attn::render {

void Noticing::product(const Numbers& numbers) {
  const bool is_mixture = tensor_.kind() == Kind::weighted_sum || operand(0).kind() == Kind::softmax ||
                          operand(0).kind() == Kind::dropout || operand(0).kind() == Kind::divided;
  if (is_mixture) {
    mixture(numbers);
  } else if (tensor_.kind() == Kind::matmul && operand(1).kind() == Kind::transpose) {
    scores(numbers);
    diagonals(numbers);
  }
}

void Noticing::mixture(const Numbers& numbers) {
  const Numbers weight(operand(0));
  const Numbers values(operand(1));
  if (has_weight_rows(weight)) {
    if (lies_between(numbers, values)) {
      say((tensor_.dim() == 1 ? "a weighted average of the rows of " : "each row is a weighted average of rows of ") +
          operand(1).words() + ": each number lies within the range of its column there");
    }
    same_first_row(numbers, weight, values);
    copied(numbers, weight, values);
    return;
  }
  std::vector<std::int64_t> empty;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    const auto is_zero = [](float x) { return x == 0; };
    const auto w = weight.row(i);
    const auto row = numbers.row(i);
    if (std::all_of(w.begin(), w.end(), is_zero) && std::all_of(row.begin(), row.end(), is_zero)) {
      empty.push_back(i);
    }
  }
  say_empty(numbers, empty, " all 0, because all weights there are 0");
}

bool Noticing::lies_between(const Numbers& numbers, const Numbers& values) {
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

void Noticing::same_first_row(const Numbers& numbers, const Numbers& weight, const Numbers& values) {
  if (tensor_.dim() < 2 || !has_squares(weight.shape) || numbers.rows != values.rows || !is_above_diagonal(weight, 0)) {
    return;
  }
  for (std::int64_t i = 0; i < numbers.rows; i += weight.width) {
    const auto row = numbers.row(i);
    const auto value = values.row(i);
    if (!std::equal(row.begin(), row.end(), value.begin(), [](float a, float b) { return near(a, b, 1e-6); })) {
      return;
    }
  }
  say("the first row equals the first row of " + operand(1).words() + ": the first token attends only to itself");
}

void Noticing::scores(const Numbers& numbers) {
  matches(numbers);
  if (tensor_.dim() == 1) {
    scores_of_one(numbers);
    return;
  }
  const std::size_t axes = numbers.shape.size();
  if (!has_squares(numbers.shape) || !counts_tokens(tensor_, axes - 1) || !counts_tokens(tensor_, axes - 2)) {
    return;
  }
  symmetry(numbers);
  if (axes == 2 && has_words(tensor_, 0)) {
    highest(numbers);
  }
}

void Noticing::scores_of_one(const Numbers& numbers) {
  if (numbers.width < 2 || !counts_tokens(tensor_, 0)) {
    return;
  }
  const auto all = numbers.all();
  std::vector<float> negated;
  std::transform(all.begin(), all.end(), std::back_inserter(negated), [](float x) { return -x; });
  const auto best = only_largest(all);
  const auto worst = only_largest(negated);
  const auto query = token_of(tensor_);
  if (!best || !worst || !query) {
    return;
  }
  const std::string high = text::number_text(numbers.at(*best));
  const std::string low = text::number_text(numbers.at(*worst));
  if (has_words(tensor_, 0)) {
    say(token(*query) + " scores highest with " + token_or_itself(*best, *query) + ", " + high + ", lowest with " +
        token_or_itself(*worst, *query) + ", " + low);
  } else {
    say("the highest score is " + high + ", at [" + std::to_string(*best) + "], the lowest " + low + ", at [" +
        std::to_string(*worst) + "]");
  }
}

namespace {

/// Two different numbers with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> told_apart(float a, float b) {
  std::pair<std::string, std::string> texts = {text::number_text(a), text::number_text(b)};
  for (int digits = 5; texts.first == texts.second && digits <= 9; ++digits) {
    texts = {text::number_text(a, std::chars_format::general, digits),
             text::number_text(b, std::chars_format::general, digits)};
  }
  return texts;
}

}  // namespace

void Noticing::symmetry(const Numbers& numbers) {
  const std::int64_t n = numbers.width;
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return numbers.row(i / n * n + i % n)[static_cast<std::size_t>(j)];
  };
  std::optional<std::pair<std::int64_t, std::int64_t>> different;
  bool is_exact = true;
  for (std::int64_t i = 0; i < numbers.rows && !different; ++i) {
    for (std::int64_t j = i % n + 1; j < n && !different; ++j) {
      const float mirrored = at(i / n * n + j, i % n);
      is_exact = is_exact && at(i, j) == mirrored;
      if (!near(at(i, j), mirrored, 1e-6)) {
        different = {i, j};
      }
    }
  }
  if (!different) {
    const Tensor& columns = operand(1).kind() == Kind::transpose ? operand(1).operands()[0] : operand(1);
    const bool is_same = columns.words() == operand(0).words();
    say(std::string("symmetric: [i, j] equals [j, i]") + (is_exact ? "" : ", up to rounding") +
        (is_same ? ", because both sides are " + operand(0).words() : ""));
    return;
  }
  const auto [i, j] = *different;
  const std::span<const std::int64_t> shape = numbers.shape;
  const std::int64_t mirrored = (i / n * n + j) * n + i % n;
  const auto [one, other] = told_apart(at(i, j), at(i / n * n + j, i % n));
  say("not symmetric: " + place_text(i * n + j, shape) + " is " + one + ", " + place_text(mirrored, shape) + " is " +
      other);
}

void Noticing::diagonals(const Numbers& numbers) {
  const std::int64_t n = numbers.width;
  const bool is_with_itself =
      operand(1).operands()[0].id() == operand(0).id() && is_made_with(operand(0), {Kind::sine});
  const bool is_such = tensor_.dim() == 2 && numbers.rows == n && n > 2 && (rotation_of(operand(0)) || is_with_itself);
  if (!is_such) {
    return;
  }
  const auto all = numbers.all();
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  const float room = 1e-5F * std::max(std::abs(*least), std::abs(*most));
  for (std::int64_t i = 1; i < n; ++i) {
    for (std::int64_t j = 1; j < n; ++j) {
      const auto at = static_cast<std::size_t>(i * n + j);
      if (!(std::abs(all[at] - all[at - static_cast<std::size_t>(n) - 1]) <= room)) {
        return;
      }
    }
  }
  say("each diagonal holds one number, up to rounding: the " + std::string(is_with_itself ? "product" : "score") +
      " depends on the distance alone");
}

void Noticing::highest(const Numbers& numbers) {
  std::int64_t own = 0;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    const auto best = only_largest(numbers.row(i));
    if (!best) {
      return;
    }
    own += *best == i;
  }
  const auto best = only_largest(numbers.all());
  if (best) {
    say("the highest score is " + text::number_text(numbers.at(*best)) + ", at " + place_text(*best, numbers.shape) +
        pair_words(*best, numbers.rows, numbers.width, " with "));
  }
  if (own == numbers.rows) {
    say("every token scores highest with itself");
  } else if (own == 0) {
    say("no token scores highest with itself");
  } else {
    say(count_text(own, numbers.rows) +
        (own == 1 ? " tokens scores highest with itself" : " tokens score highest with themselves"));
  }
}

void Noticing::met(const Numbers&) {
  const auto a = token_of(operand(0));
  const auto b = token_of(operand(1));
  const auto known = static_cast<std::int64_t>(tokens_.size());
  if (a && b && *a < known && *b < known) {
    say(token(*a) + " is compared with " + token_or_itself(*b, *a));
  }
}

}  // namespace attn::render
