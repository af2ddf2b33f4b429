#pragma once

#include <cstdint>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/explain/tally.hpp"

namespace attn::verify {

/// The alignment of a page's cells with a step's numbers: both consist of `outer` times a number of parts of `inner`
/// cells; at part `first` the page lacks parts or has extra ones.
struct Alignment {
  std::int64_t outer = 1;
  std::int64_t step_parts = 0;
  std::int64_t page_parts = 0;
  std::int64_t inner = 1;
  std::int64_t first = 0;

  /// The position in the step for a position on the page; -1 if the step has no such cell.
  std::int64_t in_step(std::int64_t page_position) const;
  /// The step's positions that the page lacks.
  std::vector<std::int64_t> lost() const;
};

/// A printed tensor aligned with a step's numbers.
struct Fit {
  Alignment alignment;
  Tally tally;  ///< of the aligned cells
  Change change;
  std::int64_t cost = 0;  ///< the tally's weight, plus that of 2 cells for a change of rows or shape
};

}  // namespace attn::verify
