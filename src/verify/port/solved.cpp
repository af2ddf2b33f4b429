#include "verify/port/solved.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/observed/observed.hpp"

namespace attn::verify {
namespace {

using Cells = std::set<std::pair<std::int64_t, std::int64_t>>;

/// The cells of one matrix that one mask hides and the other shows; none if the matrices differ from each other.
std::optional<Cells> differing(const std::vector<bool>& hidden, const std::vector<bool>& right, std::int64_t rows,
                               std::int64_t columns, bool are_hidden) {
  Cells cells;
  const auto count = static_cast<std::size_t>(rows * columns);
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i % count);
    if (hidden[i] != hidden[i % count]) {
      return std::nullopt;
    }
    if (hidden[i] == are_hidden && right[i % right.size()] != are_hidden) {
      cells.emplace(place / columns, place % columns);
    }
  }
  return cells;
}

/// "column 0", "column 0 and column 1", "3 cells, such as [2, 1]"
std::string cell_words(const Cells& cells) {
  std::set<std::int64_t> columns;
  std::set<std::int64_t> diagonals;
  std::ranges::for_each(cells, [&](const auto& cell) {
    columns.insert(cell.second);
    diagonals.insert(cell.second - cell.first);
  });
  const auto one = *cells.begin();
  const std::string such = std::to_string(cells.size()) + (cells.size() == 1 ? " cell, " : " cells, such as ") + "[" +
                           std::to_string(one.first) + ", " + std::to_string(one.second) + "]";
  return columns.size() == 1 && cells.size() > 1 ? "column " + std::to_string(*columns.begin()) + " (" + such + ")"
         : diagonals.size() == 1 && cells.size() > 1
             ? "diagonal " + std::to_string(*diagonals.begin()) + " (" + such + ")"
             : such;
}

/// A row of weights and the scores that they come from, both the port's.
struct Rows {
  const Laid& theirs;
  std::vector<double> scores;
  std::size_t width;

  bool has(std::size_t i) const {
    return theirs.cells.empty() || std::ranges::binary_search(theirs.cells, static_cast<std::int64_t>(i));
  }
};

/// Finds the divisor of scores from two weights of a row; 0 if none tell it.
double divisor_of(const Rows& rows) {
  double distance = 0;
  double divisor = 0;
  for (std::size_t i = 0; i < rows.scores.size(); ++i) {
    const std::size_t first = i / rows.width * rows.width;
    const double apart = rows.scores[i] - rows.scores[first];
    const double ratio = std::log(rows.theirs.values[i] / rows.theirs.values[first]);
    if (rows.has(i) && std::isfinite(ratio) && ratio != 0 && std::abs(apart) > distance) {
      distance = std::abs(apart);
      divisor = apart / ratio;
    }
  }
  return divisor;
}

/// Finds the score of a hidden cell from its weight and a visible one's; `hidden` has -inf there.
std::optional<double> hiding_score_of(const Rows& rows, const std::vector<double>& hidden) {
  std::optional<double> fill;
  double most = 0;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const std::size_t first = i / rows.width * rows.width;
    const double weight = rows.theirs.values[i];
    if (rows.has(i) && std::isinf(hidden[i]) && std::isfinite(hidden[first]) && weight > most) {
      most = weight;
      fill = rows.scores[first] + std::log(weight / rows.theirs.values[first]);
    }
  }
  return fill;
}

/// Finds the number added to a row's sum of exponentials; `is_shifted`: of scores minus their maximum.
double addend_of(const Rows& rows, bool is_shifted) {
  for (std::size_t first = 0; first < rows.scores.size(); first += rows.width) {
    const auto row = std::span(rows.scores).subspan(first, rows.width);
    const double shift = is_shifted ? *std::ranges::max_element(row) : 0;
    double sum = 0;
    double theirs = 0;
    for (std::size_t i = 0; i < rows.width; ++i) {
      sum += std::exp(row[i] - shift);
      theirs += rows.theirs.values[first + i];
    }
    if (rows.has(first) && std::isfinite(sum) && theirs > 0) {
      return sum / theirs - sum;
    }
  }
  return 0;
}

double shortened(double value) { return text::number_of<double>(text::factor_text(value)).value_or(value); }

/// The mask that hides scores where the port's are hidden.
template <class IsHidden>
std::optional<Mistake> other_mask(const Laid& theirs, const Tensor& step, const std::vector<double>& right,
                                  IsHidden is_hidden) {
  std::vector<bool> hidden(theirs.values.size());
  std::vector<bool> expected(hidden.size());
  std::transform(theirs.values.begin(), theirs.values.end(), hidden.begin(), is_hidden);
  std::transform(right.begin(), right.end(), expected.begin(), is_hidden);
  const bool is_open = std::ranges::find(hidden, true) == hidden.end();
  if (hidden == expected || is_open || !theirs.cells.empty() || step.dim() < 2) {
    return std::nullopt;
  }
  return masked_by(mask_at(step.shape(), hidden, "mask"), mask_words(hidden, expected, step.size(-2), step.size(-1)),
                   step.kind() == Kind::softmax);
}

}  // namespace

std::string mask_words(const std::vector<bool>& hidden, const std::vector<bool>& right, std::int64_t rows,
                       std::int64_t columns) {
  const auto more = differing(hidden, right, rows, columns, true);
  const auto less = differing(hidden, right, rows, columns, false);
  if (!more || !less || std::ranges::find(right, true) == right.end()) {
    std::set<std::int64_t> shown;
    for (std::size_t first = 0; first < hidden.size(); first += static_cast<std::size_t>(columns)) {
      shown.insert(std::count(hidden.begin() + static_cast<std::ptrdiff_t>(first),
                              hidden.begin() + static_cast<std::ptrdiff_t>(first) + columns, false));
    }
    const std::int64_t most = *shown.rbegin();
    return most < columns ? "each row shows at most " + std::to_string(most) + (most == 1 ? " token" : " tokens")
                          : "other cells are hidden in each matrix";
  }
  return std::string("the mask") + (more->empty() ? "" : " hides " + cell_words(*more) + ", which should be visible") +
         (more->empty() || less->empty() ? "" : ", and") +
         (less->empty() ? "" : " shows " + cell_words(*less) + ", which should be hidden");
}

std::vector<Mistake> solved_mistakes(const Laid& theirs, const Tensor& step, const PortOperands& operands,
                                     std::span<const Step> steps) {
  std::vector<Mistake> mistakes;
  const auto add = [&](std::optional<Mistake> mistake) { mistake ? mistakes.push_back(*std::move(mistake)) : void(); };
  const auto made = [&](const Tensor& tensor, const Rewriter::Rule& rule) -> std::optional<Rows> {
    const auto remade = operands.remade(tensor, step, rule);
    return remade && remade->shape() == step.shape()
               ? std::optional(Rows{theirs, values_of(*remade), static_cast<std::size_t>(step.size(-1))})
               : std::nullopt;
  };
  if (step.kind() == Kind::masked || (step.kind() == Kind::scaled && step.operands()[0].kind() == Kind::masked)) {
    const auto right = made(step, {});
    add(right ? other_mask(theirs, step, right->scores, [](double value) { return value < -1e3; }) : std::nullopt);
  }
  if (step.kind() != Kind::softmax || step.size(-1) < 2) {
    return mistakes;
  }
  const Tensor& below = step.operands()[0];
  if (const auto unscaled = made(below, scaled_by_number(1).rule)) {
    const double divisor = divisor_of(*unscaled);
    constexpr double five_digits = 1e-4;  // which float32 weights tell of it
    divisor == 0 ? void()
                 : add(std::abs(divisor - 1) < five_digits ? mistake_of("no-scaling", steps)
                                                           : scaled_by_number(shortened(divisor)));
  }
  const auto scores = made(below, {});
  if (!scores) {
    return mistakes;
  }
  const auto shown = made(below, mistake_of("no-mask", steps).rule);
  if (const auto fill = shown ? hiding_score_of(*shown, scores->scores) : std::nullopt) {
    const bool is_scaled_later = below.kind() == Kind::scaled;
    const double root = std::sqrt(static_cast<double>(std::max<std::int64_t>(below.operation().facts().root_of, 1)));
    add(filled_with_number(shortened(*fill * (is_scaled_later ? root : 1))));
  }
  add(other_mask(theirs, step, values_of(*operands.remade(step)),
                 [](double weight) { return weight == 0 || std::isnan(weight); }));
  for (const bool is_shifted : {false, true}) {
    const double addend = addend_of(*scores, is_shifted);
    std::abs(addend) > 1e-6 ? add(sum_plus_number(shortened(addend), is_shifted)) : void();
  }
  return mistakes;
}

}  // namespace attn::verify
