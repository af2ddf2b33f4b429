#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/relate/arithmetic.hpp"
#include "verify/relate/vocabulary.hpp"
#include "verify/relate/words.hpp"

namespace attn::verify {
namespace {

/// What the softmax of one score costs, for all divisors, in multiplications.
constexpr std::int64_t divisors_spent = 50;

std::vector<std::size_t> joined(std::vector<std::size_t> a, const std::vector<std::size_t>& b) {
  for (const std::size_t source : b) {
    if (std::find(a.begin(), a.end(), source) == a.end()) {
      a.push_back(source);
    }
  }
  return a;
}

/// Scores that a softmax may be taken of.
struct Scores {
  Grid grid;
  std::string words;
  std::vector<std::size_t> sources;
  std::int64_t inner = 0;  ///< the size that they are scaled by; 0 where it is not known
};

/// The divisors that are tried of scores: their own size's root, none, and where it is unknown all.
std::vector<Divisor> divisors_of(const Scores& scores, const Givens& givens) {
  if (scores.inner == 0) {
    return divisors(givens);
  }
  Givens own;
  own.sizes = {scores.inner, 2, 3, 4};
  own.sizes.erase(std::unique(own.sizes.begin(), own.sizes.end()), own.sizes.end());
  return divisors(own);
}

/// What scores make: softmax(scores / divisor), with or without a causal mask.
struct Weights {
  Grid grid;
  std::string words;
};

/// The weights of scores, with each divisor, without and with a causal mask.
std::vector<Weights> weights_of(const Scores& scores, const Givens& givens) {
  const bool square = scores.grid.rank() >= 2 && scores.grid.shape.back() == scores.grid.shape[scores.grid.rank() - 2];
  constexpr double hidden = -std::numeric_limits<double>::infinity();
  const Grid causal = square ? lower_triangle_of(scores.grid, hidden) : Grid{};
  std::vector<Weights> result;
  for (const Divisor& divisor : divisors_of(scores, givens)) {
    result.push_back({softmax_of(scores.grid, divisor.value), "softmax(" + scores.words + divisor.words + ")"});
    if (square) {
      result.push_back({softmax_of(causal, divisor.value), causal_words("(" + scores.words + ")", divisor.words)});
    }
  }
  return result;
}

bool are_queries_and_keys(const Projected& queries, const Projected& keys) {
  return queries.inputs == keys.inputs && queries.weights != keys.weights &&
         queries.is_transposed == keys.is_transposed;
}

/// The scores of every pair of projections of the same inputs.
template <class Visit>
void for_each_scores(Trial& trial, const Operands& operands, Visit visit) {
  for (const Projected& q : operands.projected) {
    for (const Projected& k : operands.projected) {
      const Operand& queries = operands.all[q.operand];
      const Operand& keys = operands.all[k.operand];
      if (!are_queries_and_keys(q, k) || queries.grid.shape != keys.grid.shape) {
        continue;
      }
      const std::int64_t rows = queries.grid.shape[0];
      if (!trial.may_spend(rows * rows * (queries.grid.shape[1] + divisors_spent))) {
        continue;
      }
      visit(q, k,
            Scores{product(queries.grid, keys.grid, true), factor_words(queries) + " @ " + factor_words(keys) + ".T",
                   joined(queries.sources, keys.sources), queries.grid.shape[1]});
    }
  }
}

constexpr std::int64_t most_queries = 8;

/// Whether the target is as a whole, or one of the rows of a matrix.
bool is_whole_or_row(const Trial& trial, const Shape& shape) {
  const Shape& target = trial.target().shape;
  return shape == target || (shape.size() == 2 && target == Shape{shape[1]} && shape[0] <= most_queries);
}

/// Offers numbers as they are, or each of their rows.
void offer_whole_or_row(Trial& trial, const Grid& numbers, const std::vector<std::size_t>& sources,
                        const std::string& words) {
  if (numbers.shape == trial.target().shape) {
    trial.offer(Form::several, numbers, sources, [&] { return words; });
    return;
  }
  for (std::int64_t i = 0; i < numbers.shape[0]; ++i) {
    trial.offer(Form::several, item(numbers, 0, i), sources,
                [&] { return "(" + words + ")[" + std::to_string(i) + "]"; });
  }
}

/// [n, n] weights of projections that the page does not print, or one row of them.
void try_weights(Trial& trial, const Operands& operands, const Givens& givens) {
  const Shape& shape = trial.target().shape;
  if (shape.size() > 2 || shape[0] != shape.back() || !may_be_weights(trial.target())) {
    return;
  }
  const auto try_scores = [&](const Scores& scores) {
    for (const Weights& weights : weights_of(scores, givens)) {
      offer_whole_or_row(trial, weights.grid, scores.sources, weights.words);
    }
  };
  for_each_scores(trial, operands, [&](const Projected&, const Projected&, const Scores& scores) {
    if (is_whole_or_row(trial, scores.grid.shape)) {
      try_scores(scores);
    }
  });
  for (const Operand& a : operands.all) {
    for (const Operand& b : operands.all) {
      const bool printed = a.sources.size() == 1 && b.sources.size() == 1;
      if (printed && shape.size() == 2 && a.grid.rank() == 2 && a.grid.shape == b.grid.shape &&
          a.grid.shape[0] == shape[0]) {
        try_scores({product(a.grid, b.grid, true), a.words + " @ " + b.words + ".T", joined(a.sources, b.sources),
                    a.grid.shape[1]});
      }
    }
  }
}

/// The weights [n] of one query, by its scores against keys: softmax, or shares of their sum.
void try_weights_of(Trial& trial, const Operand& keys, const Operand& query, const Givens& givens) {
  if (keys.grid.rank() != 2 || keys.grid.shape[0] != trial.target().shape[0] ||
      keys.grid.shape[1] != query.grid.shape[0] ||
      !trial.may_spend(keys.grid.shape[0] * (keys.grid.shape[1] + divisors_spent))) {
    return;
  }
  const Scores scores{product(keys.grid, query.grid, false), factor_words(keys) + " @ " + query.words,
                      joined(keys.sources, query.sources), keys.grid.shape[1]};
  for (const Weights& weights : weights_of(scores, givens)) {
    trial.offer(Form::several, weights.grid, scores.sources, [&] { return weights.words; });
  }
  trial.offer(Form::several, normalised(scores.grid), scores.sources,
              [&] { return "(" + scores.words + ") / (" + scores.words + ").sum()"; });
}

void try_weights_of_one(Trial& trial, const Operands& operands, const Givens& givens) {
  if (trial.target().rank() != 1 || !may_be_weights(trial.target())) {
    return;
  }
  for (const Operand& query : operands.all) {
    if (query.sources.size() > 1 || query.grid.rank() > 2 || query.grid.rank() == 0) {
      continue;
    }
    for (const Operand& keys : operands.all) {
      if (query.grid.rank() == 1) {
        try_weights_of(trial, keys, query, givens);
      }
      for (std::int64_t i = 0; query.grid.rank() == 2 && i < std::min(query.grid.shape[0], most_queries); ++i) {
        try_weights_of(trial, keys,
                       {item(query.grid, 0, i), query.words + "[" + std::to_string(i) + "]", query.sources}, givens);
      }
    }
  }
}

/// Context vectors of one tensor of scores: their weights, made where the first values fit, by values.
class Contexts {
 public:
  Contexts(Trial& trial, const Givens& givens, Scores scores)
      : trial_(trial), givens_(givens), scores_(std::move(scores)) {}

  void try_values(const Operand& values) {
    if (!fits(values.grid.shape)) {
      return;
    }
    Shape shape(scores_.grid.shape.begin(), scores_.grid.shape.end() - 1);
    shape.push_back(values.grid.shape.back());
    if (!is_whole_or_row(trial_, shape) ||
        !trial_.may_spend(static_cast<std::int64_t>(scores_.grid.cells.size()) * (shape.back() + divisors_spent))) {
      return;
    }
    if (weights_.empty()) {
      weights_ = weights_of(scores_, givens_);
    }
    for (const Weights& weights : weights_) {
      try_context(weights, values, shape == trial_.target().shape);
    }
  }

 private:
  /// Whether scores @ values can be had.
  bool fits(const Shape& values) const {
    const Shape& scores = scores_.grid.shape;
    return !scores.empty() && values.size() >= 2 && values.size() <= std::max<std::size_t>(2, scores.size()) &&
           values[values.size() - 2] == scores.back() &&
           (values.size() == 2 || std::equal(values.begin(), values.end() - 2, scores.begin()));
  }

  void try_context(const Weights& weights, const Operand& values, bool is_whole) {
    const auto numbers = is_whole ? trial_.product_that_holds(weights.grid, values.grid, false)
                                  : std::optional(product(weights.grid, values.grid, false));
    if (numbers) {
      offer_whole_or_row(trial_, *numbers, joined(scores_.sources, values.sources),
                         weights.words + " @ " + factor_words(values));
    }
  }

  Trial& trial_;
  const Givens& givens_;
  Scores scores_;
  std::vector<Weights> weights_;
};

}  // namespace

void try_layers(Trial& trial, const Operands& operands, const Givens& givens) {
  if (trial.target().shape.empty()) {
    return;
  }
  try_weights(trial, operands, givens);
  try_weights_of_one(trial, operands, givens);
  for (std::size_t s = 0; s < trial.sources(); ++s) {
    Contexts contexts(trial, givens, {trial.source(s).grid, trial.source(s).words, {s}, 0});
    for (const Operand& values : operands.all) {
      contexts.try_values(values);
    }
  }
  if (trial.has(Form::several) || trial.target().rank() > 2) {
    return;
  }
  for_each_scores(trial, operands, [&](const Projected& queries, const Projected& keys, Scores scores) {
    Contexts contexts(trial, givens, std::move(scores));
    for (const Projected& values : operands.projected) {
      if (values.inputs == keys.inputs && values.weights != keys.weights && values.weights != queries.weights &&
          values.is_transposed == keys.is_transposed) {
        contexts.try_values(operands.all[values.operand]);
      }
    }
  });
}

}  // namespace attn::verify
