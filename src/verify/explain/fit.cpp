#include "verify/explain/fit.hpp"

namespace attn::verify {

std::int64_t Alignment::in_step(std::int64_t page_position) const {
  const std::int64_t cell = page_position % inner;
  const std::int64_t part = page_position / inner % page_parts;
  const std::int64_t lacking = step_parts - page_parts;
  std::int64_t step_part = part;
  if (part >= first) {
    step_part = part + lacking;
    if (lacking < 0 && part < first - lacking) {
      return -1;
    }
  }
  return (page_position / inner / page_parts * step_parts + step_part) * inner + cell;
}

std::vector<std::int64_t> Alignment::lost() const {
  std::vector<std::int64_t> positions;
  for (std::int64_t block = 0; block < outer && step_parts > page_parts; ++block) {
    const std::int64_t begin = (block * step_parts + first) * inner;
    for (std::int64_t i = 0; i < (step_parts - page_parts) * inner; ++i) {
      positions.push_back(begin + i);
    }
  }
  return positions;
}

}  // namespace attn::verify
