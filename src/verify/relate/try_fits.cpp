#include <algorithm>
#include <cmath>
#include <string>

#include "verify/relate/arithmetic.hpp"
#include "verify/relate/linear_fit.hpp"
#include "verify/relate/vocabulary.hpp"
#include "verify/relate/words.hpp"

namespace attn::verify {
namespace {

constexpr std::int64_t most_tokens = 12;
constexpr std::int64_t most_dimensions = 5;
constexpr std::size_t most_numbers = 400;

std::vector<Interval> column(const Grid& x, std::int64_t i) {
  std::vector<Interval> result;
  for (std::int64_t row = 0; row < x.shape[0]; ++row) {
    result.push_back(x.cells[at(row * x.shape[1] + i)]);
  }
  return result;
}

/// x @ W, for some W: each column by itself.
std::optional<double> chance_of_projection(const Grid& target, const Grid& x) {
  std::vector<std::vector<Interval>> columns;
  for (std::int64_t i = 0; i < x.shape[1]; ++i) {
    columns.push_back(column(x, i));
  }
  double chance = 0;
  const Grid whole = target.rank() == 1 ? reshaped(target, {target.shape[0], 1}) : target;
  for (std::int64_t i = 0; i < whole.shape[1]; ++i) {
    const auto one = chance_of_linear_fit(columns, column(whole, i));
    if (!one) {
      return std::nullopt;
    }
    chance += *one;
  }
  return chance;
}

/// x @ M @ x.T, for some M: of the scores themselves, or of the logarithms of weights, each row up to a number of its
/// own. What a causal mask hides does not count.
std::optional<double> chance_of_scores(const Grid& target, const Grid& x, bool are_weights) {
  std::vector<Interval> cells;
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  const std::int64_t n = target.shape[0];
  const Interval& corner = target.cells[at(n - 1)];
  const bool is_causal = n > 1 && (are_weights ? corner.middle() == 0 : std::isinf(corner.low));
  for (std::int64_t i = 0; i < n * n; ++i) {
    const Interval& cell = target.cells[at(i)];
    const bool is_hidden = are_weights ? cell.middle() == 0 : std::isinf(cell.low) && cell.low < 0;
    if (is_hidden != (is_causal && i % n > i / n)) {
      return std::nullopt;
    }
    if (is_hidden) {
      continue;
    }
    if (std::isinf(cell.low) || (are_weights && cell.low <= 0)) {
      return std::nullopt;
    }
    cells.push_back(are_weights ? Interval{std::log(cell.low), std::log(cell.high)} : cell);
    places.emplace_back(i / n, i % n);
  }
  std::vector<std::vector<Interval>> columns;
  const std::int64_t d = x.shape[1];
  for (std::int64_t a = 0; a < d; ++a) {
    for (std::int64_t b = 0; b < d; ++b) {
      std::vector<Interval>& column = columns.emplace_back();
      for (const auto& [row, other] : places) {
        column.push_back(times(x.cells[at(row * d + a)], x.cells[at(other * d + b)]));
      }
    }
  }
  for (std::int64_t row = 0; are_weights && row < n; ++row) {
    std::vector<Interval>& column = columns.emplace_back();
    for (const auto& place : places) {
      column.push_back(place.first == row ? Interval{1, 1} : Interval{});
    }
  }
  return cells.empty() ? std::nullopt : chance_of_linear_fit(columns, cells);
}

bool may_be_inputs(const Grid& x) {
  return x.rank() == 2 && x.shape[0] <= most_tokens && x.shape[1] <= most_dimensions && x.shape[1] < x.shape[0];
}

/// Whether a source prints what is given exactly: then the given numbers tell more.
bool is_given_exactly(const Trial& trial, const Source& printed) {
  for (std::size_t s = 0; s < trial.sources(); ++s) {
    const Source& given = trial.source(s);
    if (printed.position > 0 && given.position == 0 && given.grid.shape == printed.grid.shape &&
        std::ranges::equal(given.grid.cells, printed.grid.cells, meet)) {
      return true;
    }
  }
  return false;
}

/// Whether the logarithms of the target's rows may be scores: rows of weights, masked or not.
bool are_rows_of_weights(const Grid& target) {
  for (const Interval& cell : target.cells) {
    if (!(cell.middle() >= 0 && cell.middle() < 20)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void try_fits(Trial& trial) {
  const Grid& target = trial.target();
  if (target.rank() < 1 || target.rank() > 2 || target.cells.size() > most_numbers || is_constant(target)) {
    return;
  }
  const auto offer = [&](std::size_t s, const std::optional<double>& chance, const std::string& words) {
    if (chance) {
      trial.offer_with_chance(Form::fit, target, chance, {s}, [&] { return words; });
    }
  };
  bool is_printed_tried = false;  // of what a page prints, only the first may be inputs
  for (std::size_t s = 0; s < trial.sources() && !is_printed_tried && !trial.best(); ++s) {
    const Source& x = trial.source(s);
    if (!may_be_inputs(x.grid) || x.grid.shape[0] != target.shape[0] || is_given_exactly(trial, x)) {
      continue;
    }
    is_printed_tried = x.position > 0;
    if (target.rank() == 2 && target.shape[0] == target.shape[1]) {
      offer(s, chance_of_scores(target, x.grid, false), x.words + " @ M @ " + x.words + ".T for some M");
      if (are_rows_of_weights(target)) {
        offer(s, chance_of_scores(target, x.grid, true), "softmax(" + x.words + " @ M @ " + x.words + ".T) for some M");
      }
    }
    offer(s, chance_of_projection(target, x.grid), x.words + " @ W for some W");
  }
  for (std::size_t s = 0; s < trial.sources() && target.rank() == 2 && !trial.best(); ++s) {
    const Source& weights = trial.source(s);
    if (weights.grid.rank() != 2 || weights.grid.shape[0] != target.shape[0] || weights.position == 0 ||
        weights.grid.shape[0] != weights.grid.shape[1] || !may_be_weights(weights.grid) || is_binary(weights.grid)) {
      continue;
    }
    for (std::size_t x = 0; x < trial.sources(); ++x) {
      const Source& inputs = trial.source(x);
      if (may_be_inputs(inputs.grid) && inputs.grid.shape[0] == weights.grid.shape[1] && x != s &&
          !is_given_exactly(trial, inputs)) {
        offer(s, chance_of_projection(target, product(weights.grid, inputs.grid, false)),
              weights.words + " @ (" + inputs.words + " @ W) for some W");
      }
    }
  }
}

}  // namespace attn::verify
