#include "verify/read/printed.hpp"

#include <algorithm>
#include <cstddef>

namespace attn::verify {

bool is_size(const Printed& printed) { return printed.kind == Printed::Kind::size; }

bool has_gap(const Printed& printed) {
  return std::ranges::any_of(printed.shown_before_gap, [](std::int64_t before) { return before >= 0; });
}

bool is_regular(const Printed& printed) {
  std::size_t count = 1;
  for (const std::int64_t size : printed.shape) {
    count *= static_cast<std::size_t>(size);
  }
  return !printed.ragged && count == printed.cells.size();
}

}  // namespace attn::verify
