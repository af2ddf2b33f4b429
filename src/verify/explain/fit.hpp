#pragma once

#include <cstdint>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/explain/tally.hpp"

namespace attn::verify {

/// How a page's cells lie on a step's numbers: both are `outer` times so many parts of `inner` cells, and at part
/// `first` the page lacks parts, or has too many.
struct Alignment {
  std::int64_t outer = 1;
  std::int64_t step_parts = 0;
  std::int64_t page_parts = 0;
  std::int64_t inner = 1;
  std::int64_t first = 0;

  /// The step's position for a position on the page; -1 where the step has no such cell.
  std::int64_t in_step(std::int64_t page_position) const;
  /// The positions in the step that the page lacks.
  std::vector<std::int64_t> lost() const;
};

/// A printed tensor laid on a step's numbers.
struct Fit {
  Alignment alignment;
  Tally tally;  ///< of the cells that lie on each other
  Change change;
  std::int64_t cost = 0;  ///< the tally's weight, and that of 2 cells for a change of rows or shape
};

}  // namespace attn::verify
