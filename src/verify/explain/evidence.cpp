#include "verify/explain/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "verify/relate/chance.hpp"
#include "verify/relate/words.hpp"

namespace attn::verify {
namespace {

/// Whether zeros stand as a dropout mask draws them, and not in a triangle.
bool is_drawn(const Grid& grid) {
  return grid.rank() >= 2 && !is_lower_triangle(grid) &&
         !is_lower_triangle(transposed(grid, grid.rank() - 2, grid.rank() - 1));
}

}  // namespace

double chance_of_agreeing(const Printed& printed) {
  Grid grid{{static_cast<std::int64_t>(printed.cells.size())}, {}};
  grid.cells.reserve(printed.cells.size());
  for (const Cell& cell : printed.cells) {
    grid.cells.push_back(interval_of(cell));
  }
  if (grid.cells.size() < 2 || is_constant(grid)) {
    return 0;
  }
  if (is_binary(grid)) {
    grid.shape = printed.shape;
    return is_regular(printed) && is_drawn(grid) ? -std::log10(2.0) * static_cast<double>(grid.cells.size()) : 0;
  }
  return lay(grid, grid, grid.cells.size()).chance;
}

bool is_excluded(double chance, std::size_t tried) {
  return chance + std::log10(static_cast<double>(std::max<std::size_t>(1, tried))) < least_chance;
}

std::int64_t most_failing(const Printed& printed) {
  Grid grid{{static_cast<std::int64_t>(printed.cells.size())}, {}};
  grid.cells.reserve(printed.cells.size());
  std::ranges::transform(printed.cells, std::back_inserter(grid.cells), interval_of);
  return static_cast<std::int64_t>(is_binary(grid) ? std::max<std::size_t>(1, grid.cells.size() * 15 / 100)
                                                   : few_of(grid));
}

}  // namespace attn::verify
