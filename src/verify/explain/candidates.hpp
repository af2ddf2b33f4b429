#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "verify/explain/fit.hpp"
#include "verify/explain/known_steps.hpp"

namespace attn::verify {

/// What one printed tensor may be.
struct Candidates {
  std::vector<std::size_t> steps;   ///< equally good
  std::map<std::size_t, Fit> fits;  ///< of steps; none where the numbers hold
  Choice nearest;                   ///< where there are no steps
  std::int64_t differing_from_nearest = 0;
  bool same_layout = false;
};

}  // namespace attn::verify
