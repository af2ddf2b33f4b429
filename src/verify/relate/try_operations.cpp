#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "text/numbers.hpp"
#include "verify/relate/arithmetic.hpp"
#include "verify/relate/vocabulary.hpp"
#include "verify/relate/words.hpp"

namespace attn::verify {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

bool is_square(const Grid& grid) {
  return grid.rank() >= 2 && grid.shape[grid.rank() - 1] == grid.shape[grid.rank() - 2];
}

/// Softmax of the source, whole or masked, divided by the root of a size.
void try_softmax(Trial& trial, std::size_t s, const Givens& givens) {
  const Source& source = trial.source(s);
  if (!may_be_weights(trial.target())) {
    return;
  }
  const bool masked = is_square(source.grid) && is_lower_triangle(trial.target());
  const Grid causal = masked ? lower_triangle_of(source.grid, minus_infinity) : Grid{};
  for (const Divisor& divisor : divisors(givens)) {
    const std::string scaled = source.words + divisor.words;
    trial.offer(Form::operation, softmax_of(source.grid, divisor.value), {s},
                [&] { return "softmax(" + scaled + ")"; });
    if (masked) {
      trial.offer(Form::operation, softmax_of(causal, divisor.value), {s},
                  [&] { return causal_words(source.words, divisor.words); });
    }
    if (source.grid.rank() >= 2) {
      trial.offer(Form::operation, softmax_of(source.grid, divisor.value, true), {s},
                  [&] { return "softmax(" + scaled + ", dim=-2)"; });
    }
  }
}

/// Softmax of the source times a number that nobody wrote: the one that the target's two most different cells of a row
/// give.
void try_softmax_by_any(Trial& trial, std::size_t s) {
  const Grid& target = trial.target();
  const Source& source = trial.source(s);
  if (trial.best() || trial.is_near_miss() || !may_be_weights(target)) {
    return;
  }
  const auto columns = static_cast<std::size_t>(target.shape.back());
  double widest = 0;
  double divisor = 0;
  for (std::size_t i = 0; i < target.cells.size(); ++i) {
    for (std::size_t j = i + 1; j < (i / columns + 1) * columns; ++j) {
      const double apart = source.grid.cells[i].middle() - source.grid.cells[j].middle();
      const double ratio = target.cells[i].middle() / target.cells[j].middle();
      if (std::isfinite(apart) && std::abs(apart) > widest && ratio > 0 && std::isfinite(ratio) && ratio != 1) {
        widest = std::abs(apart);
        divisor = apart / std::log(ratio);
      }
    }
  }
  if (divisor > 0.01 && divisor < 1000) {
    const std::string words =
        "softmax(" + source.words + " / " + text::number_text(divisor, std::chars_format::general, 4) + ")";
    trial.offer(Form::several, softmax_of(source.grid, divisor), {s}, [&] { return words; });
  }
}

void try_scaled(Trial& trial, std::size_t s, const Givens& givens) {
  const Source& source = trial.source(s);
  for (const Divisor& divisor : divisors(givens)) {
    if (divisor.value != 1) {
      trial.offer(Form::operation, divided(source.grid, divisor.value), {s},
                  [&] { return source.words + divisor.words; });
    }
  }
}

/// What a mask leaves: above the diagonal, or wherever the target has the value.
void try_masked(Trial& trial, std::size_t s) {
  const Source& source = trial.source(s);
  for (const double value : {0.0, minus_infinity}) {
    Grid masked = source.grid;
    std::size_t hidden = 0;
    for (std::size_t i = 0; i < masked.cells.size(); ++i) {
      const Interval& cell = trial.target().cells[i];
      if (cell.middle() == value) {
        masked.cells[i] = {value, value};
        ++hidden;
      }
    }
    if (hidden == 0 || hidden * 10 > masked.cells.size() * 9) {
      continue;
    }
    const bool causal = is_square(source.grid) && is_lower_triangle(trial.target(), value);
    if (!causal && trial.is_near_miss()) {
      continue;  // what an unknown mask hides accuses nobody
    }
    const std::string name = value == 0 ? "0" : "-torch.inf";
    trial.offer(Form::operation, causal ? lower_triangle_of(source.grid, value) : masked, {s}, [&] {
      if (causal && value == 0) {
        return "torch.tril(" + source.words + ")";
      }
      return source.words + ".masked_fill(" + (causal ? "causal mask" : "mask") + ", " + name + ")";
    });
  }
}

void try_normalised(Trial& trial, std::size_t s) {
  const Source& source = trial.source(s);
  if (!may_be_weights(trial.target())) {
    return;
  }
  Grid masked = source.grid;  // what is zero on both sides was masked: it is exactly that
  for (std::size_t i = 0; i < masked.cells.size(); ++i) {
    if (masked.cells[i].middle() == 0 && trial.target().cells[i].middle() == 0) {
      masked.cells[i] = {};
    }
  }
  trial.offer(Form::operation, normalised(masked), {s},
              [&] { return source.words + " / " + source.words + ".sum(dim=-1, keepdim=True)"; });
  if (is_square(source.grid) && is_lower_triangle(trial.target())) {
    trial.offer(Form::operation, normalised(lower_triangle_of(source.grid, 0)), {s}, [&] {
      const std::string triangle = "torch.tril(" + source.words + ")";
      return triangle + " / " + triangle + ".sum(dim=-1, keepdim=True)";
    });
  }
}

/// Each cell 0, or what it was divided by the probability to keep it.
void try_dropout(Trial& trial, std::size_t s, const Givens& givens) {
  const Source& source = trial.source(s);
  for (const double p : givens.dropouts) {
    Grid dropped = divided(source.grid, 1 - p);
    for (std::size_t i = 0; i < dropped.cells.size(); ++i) {
      const Interval& cell = trial.target().cells[i];
      if (cell.low <= 0 && cell.high >= 0 && cell.radius() < 1e-3) {
        dropped.cells[i] = {};
      }
    }
    trial.offer(Form::operation, dropped, {s},
                [&] { return "dropout(" + source.words + ", " + number_words(p) + ")"; });
  }
}

/// The standard deviation of the numbers.
double deviation(const Grid& grid) {
  double mean = 0;
  double squares = 0;
  for (const Interval& cell : grid.cells) {
    mean += cell.middle();
    squares += cell.middle() * cell.middle();
  }
  const auto count = static_cast<double>(grid.cells.size());
  mean /= count;
  return std::sqrt(std::max(0.0, squares / count - mean * mean));
}

/// Sums and means along an axis. A sum of k numbers ranges over their deviation times the root of k.
void try_sums(Trial& trial, std::size_t s) {
  const Source& source = trial.source(s);
  for (std::size_t axis = 0; axis < source.grid.rank(); ++axis) {
    Shape shape = source.grid.shape;
    const auto count = static_cast<double>(shape[axis]);
    shape[axis] = 1;
    const bool keeps = shape == trial.target().shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    if (!keeps && shape != trial.target().shape) {
      continue;
    }
    const std::string dim = "(dim=" + std::to_string(static_cast<int>(axis) - static_cast<int>(source.grid.rank())) +
                            (keeps ? ", keepdim=True)" : ")");
    const Grid total = reshaped(sums(source.grid, axis), trial.target().shape);
    const double range = deviation(source.grid) * std::sqrt(count);
    for (const bool is_mean : {false, true}) {
      const Grid result = is_mean ? divided(total, count) : total;
      const double width = is_mean ? range / count : range;
      double chance = 0;
      for (std::size_t i = 0; i < result.cells.size() && width > 0; ++i) {
        const Interval& cell = result.cells[i];
        const Interval& printed = trial.target().cells[i];
        chance += std::log10(
            std::min(1.0, (cell.high - cell.low + printed.high - printed.low + 2 * slack(cell.low)) / width));
      }
      trial.offer_with_chance(Form::operation, result, chance, {s},
                              [&] { return source.words + (is_mean ? ".mean" : ".sum") + dim; });
    }
  }
}

/// The sum of two sources: embeddings and positions.
void try_added(Trial& trial, std::size_t s) {
  const Source& a = trial.source(s);
  for (std::size_t other = 0; other < s; ++other) {
    const Source& b = trial.source(other);
    if (b.grid.shape == a.grid.shape) {
      trial.offer(Form::product, added(b.grid, a.grid), {other, s}, [&] { return b.words + " + " + a.words; });
    }
  }
}

}  // namespace

void try_operations(Trial& trial, const Givens& givens) {
  for (std::size_t s = 0; s < trial.sources(); ++s) {
    try_sums(trial, s);
    if (trial.source(s).grid.shape != trial.target().shape || trial.target().shape.empty() ||
        is_constant(trial.source(s).grid)) {
      continue;
    }
    try_softmax(trial, s, givens);
    try_softmax_by_any(trial, s);
    try_normalised(trial, s);
    try_masked(trial, s);
    try_dropout(trial, s, givens);
    try_scaled(trial, s, givens);
    trial.offer(Form::operation, layer_norm_of(trial.source(s).grid), {s},
                [&] { return "layer_norm(" + trial.source(s).words + ")"; });
    try_added(trial, s);
  }
}

}  // namespace attn::verify
