#include "verify/judge/relations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>

#include "text/lines.hpp"
#include "verify/propose/relate.hpp"

namespace attn::port {
namespace {

verify::Observed observed_of(const dump::Dumped& dumped, const Tolerance& tolerance) {
  verify::Observed observed{dumped.shape, {}};
  for (const double value : dumped.values) {
    const double room = std::isfinite(value) ? tolerance.atol + tolerance.rtol * std::abs(value) : 0;
    observed.cells.push_back({value - room, value + room});
  }
  return observed;
}

/// Sizes whose square roots may divide scores: 2 to 8, and the dump's.
verify::Givens givens_of(std::span<const dump::Dumped> dumped) {
  std::set<std::int64_t> sizes = {2, 3, 4, 5, 6, 7, 8};
  for (const dump::Dumped& one : dumped) {
    std::ranges::copy_if(one.shape, std::inserter(sizes, sizes.end()), [](std::int64_t size) { return size > 1; });
  }
  return {{sizes.begin(), sizes.end()}, {}};
}

}  // namespace

std::vector<std::string> relations_of(std::span<const dump::Dumped> dumped, std::span<const std::size_t> unmatched,
                                      const Tolerance& tolerance) {
  if (unmatched.empty()) {
    return {};
  }
  verify::Relater relater(givens_of(dumped));
  const auto add = [&](std::size_t i) {
    if (!dumped[i].values.empty()) {
      relater.add({observed_of(dumped[i], {0, 0, false}), "your " + text::one_line(dumped[i].name), i + 1});
    }
  };
  for (std::size_t i = 0; i < dumped.size(); ++i) {
    if (std::ranges::find(unmatched, i) == unmatched.end()) {
      add(i);
    }
  }
  std::vector<std::string> relations;
  for (const std::size_t i : unmatched) {
    const auto relation = dumped[i].values.empty() ? std::nullopt : relater.find(observed_of(dumped[i], tolerance));
    relations.push_back(relation ? relation->words : "");
    add(i);
  }
  return relations;
}

}  // namespace attn::port
