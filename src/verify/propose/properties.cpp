#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/bound/chance.hpp"
#include "verify/propose/rows.hpp"

namespace attn::verify {
namespace {

/// log10 of the probability that a row's sum is 1 by chance.
double chance_of_sum(std::span<const Interval> row, const Interval& sum) {
  double mean = 0;
  double squares = 0;
  const auto columns = static_cast<double>(row.size());
  for (const Interval& cell : row) {
    mean += cell.middle() / columns;
    squares += cell.middle() * cell.middle() / columns;
  }
  const double range = std::sqrt(std::max(0.0, squares - mean * mean) * columns);
  const double width = sum.high - sum.low + 2 * slack(1);
  return range > 0 ? std::log10(std::min(1.0, width / range)) : 0;
}

/// Rows of 3 numbers and more that sum to 1. Rows of whole numbers may do too, one-hot ones always, and are no weights.
void sums_of_one(Search& search, const Tensor& itself) {
  const Observed& target = search.target();
  constexpr std::int64_t least_columns = 3;
  const bool may_be = target.rank() > 0 && target.shape.back() >= least_columns && !is_constant(target) &&
                      !std::ranges::all_of(target.cells(), is_whole) &&
                      std::ranges::all_of(target.cells(), [](const Interval& cell) { return cell.high >= 0; });
  if (!may_be) {
    return;
  }
  const std::vector<Interval> sums = search.bounded(sum(itself));
  const std::vector<Interval> cells = target.cells();
  const std::size_t columns = at(target.shape.back());
  double chance = 0;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    if (!meet(sums[row], {1, 1})) {
      return;
    }
    chance += chance_of_sum(std::span(cells).subspan(row * columns, columns), sums[row]);
  }
  search.keep(Form::property, target.rank() == 1 ? "it sums to 1" : "every row sums to 1", {}, chance);
}

void equal_entries(Search& search) {
  const Observed& target = search.target();
  if (target.rank() < 3 || target.shape[0] < 2) {
    return;
  }
  const Observed first = item_of(target, 0);
  const std::vector<Interval> cells = first.cells();
  for (std::int64_t i = 1; i < target.shape[0]; ++i) {
    if (!std::ranges::equal(cells, item_of(target, i).cells(), meet)) {
      return;
    }
  }
  const double chance = chance_of_holding(first, cells, {}) * static_cast<double>(target.shape[0] - 1);
  search.keep(Form::property, "all batch entries are equal", {}, chance);
}

}  // namespace

void propose_properties(Search& search, const Tensor& itself) {
  sums_of_one(search, itself);
  equal_entries(search);
}

}  // namespace attn::verify
