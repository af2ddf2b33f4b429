#pragma once

#include <cstddef>
#include <vector>

#include "verify/explain/pool.hpp"
#include "verify/explain/tally.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// How well a pool's numbers of the same shape fit a printed tensor.
struct Likeness {
  std::size_t numbers;
  Tally tally;
};

/// The pool's numbers that at least half of the printed cells agree with.
std::vector<Likeness> find_likenesses(const Printed& printed, const Pool& pool);

/// Whether these are the tensor's numbers: no cell differs, and not too many do in the last digit.
bool holds(const Tally& tally, const Printed& printed);

}  // namespace attn::verify
