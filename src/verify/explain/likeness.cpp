#include "verify/explain/likeness.hpp"

#include <cstdint>

#include "verify/explain/compare.hpp"

namespace attn::verify {

std::vector<Likeness> find_likenesses(const Printed& printed, const Pool& pool) {
  const auto most = static_cast<std::int64_t>(printed.cells.size() / 2);
  std::vector<Likeness> result;
  for (const std::size_t numbers : pool.alike(printed)) {
    const Tally tally = compare(printed, pool[numbers], most);
    if (tally.differs <= most) {
      result.push_back({numbers, tally});
    }
  }
  return result;
}

bool holds(const Tally& tally, const Printed& printed) {
  const auto cells = static_cast<std::int64_t>(printed.cells.size());
  return tally.differs == 0 && (tally.last_digit <= 1 || tally.last_digit * 2 <= cells);
}

}  // namespace attn::verify
