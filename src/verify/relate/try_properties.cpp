#include <cmath>
#include <string>

#include "verify/relate/arithmetic.hpp"
#include "verify/relate/vocabulary.hpp"
#include "verify/relate/words.hpp"

namespace attn::verify {
namespace {

/// log10 of the probability that the rows' sums are 1 by chance.
double chance_of_sums(const Grid& target, const Grid& total) {
  const auto columns = static_cast<std::size_t>(target.shape.back());
  double chance = 0;
  for (std::size_t row = 0; row < total.cells.size(); ++row) {
    double mean = 0;
    double squares = 0;
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) {
      mean += target.cells[i].middle() / static_cast<double>(columns);
      squares += target.cells[i].middle() * target.cells[i].middle() / static_cast<double>(columns);
    }
    const double range = std::sqrt(std::max(0.0, squares - mean * mean) * static_cast<double>(columns));
    const double width = total.cells[row].high - total.cells[row].low + 2 * slack(1);
    chance += range > 0 ? std::log10(std::min(1.0, width / range)) : 0;
  }
  return chance;
}

void try_sums_of_one(Trial& trial) {
  const Grid& target = trial.target();
  if (target.rank() == 0 || target.shape.back() < 3 || is_constant(target)) {
    return;
  }
  for (const Interval& cell : target.cells) {
    if (!(cell.high >= 0)) {
      return;
    }
  }
  const Grid total = sums(target, target.rank() - 1);
  for (const Interval& sum : total.cells) {
    if (!meet(sum, {1, 1})) {
      return;
    }
  }
  trial.offer_with_chance(Form::property, target, chance_of_sums(target, total), {},
                          [&] { return std::string(target.rank() == 1 ? "it sums to 1" : "every row sums to 1"); });
}

void try_equal_entries(Trial& trial) {
  const Grid& target = trial.target();
  if (target.rank() < 3 || target.shape[0] < 2) {
    return;
  }
  const Grid first = item(target, 0, 0);
  Grid copies{target.shape, {}};
  for (std::int64_t i = 0; i < target.shape[0]; ++i) {
    copies.cells.insert(copies.cells.end(), first.cells.begin(), first.cells.end());
  }
  const double chance = lay(first, first, 0).chance * static_cast<double>(target.shape[0] - 1);
  trial.offer_with_chance(Form::property, copies, chance, {},
                          [] { return std::string("all batch entries are equal"); });
}

}  // namespace

void try_properties(Trial& trial) {
  try_sums_of_one(trial);
  try_equal_entries(trial);
}

}  // namespace attn::verify
