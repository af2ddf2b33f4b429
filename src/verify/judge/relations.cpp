#include "verify/judge/relations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "text/lines.hpp"
#include "verify/propose/relate.hpp"

namespace attn::verify {
namespace {

/// The tensor with numbers that may be off by as much as is tolerated.
Observed within(Observed observed, const Tolerance& tolerance) {
  std::vector<double> radii;
  for (const double value : observed.values) {
    radii.push_back(std::isfinite(value) ? tolerance.atol + tolerance.rtol * std::abs(value) : 0);
  }
  observed.radii = std::move(radii);
  return observed;
}

bool has_numbers(const Observed& observed) { return element_count(observed.shape) > 0; }

/// Sizes whose square roots may divide scores: 2 to 8, and the dump's.
Givens givens_of(std::span<const Observed> dumped) {
  std::set<std::int64_t> sizes = {2, 3, 4, 5, 6, 7, 8};
  for (const Observed& one : dumped) {
    std::ranges::copy_if(one.shape, std::inserter(sizes, sizes.end()), [](std::int64_t size) { return size > 1; });
  }
  return {{sizes.begin(), sizes.end()}, {}};
}

}  // namespace

std::vector<std::string> relations_of(std::span<const Observed> dumped, std::span<const std::size_t> unmatched,
                                      const Tolerance& tolerance) {
  if (unmatched.empty()) {
    return {};
  }
  Relater relater(givens_of(dumped));
  const auto add = [&](std::size_t i) {
    if (has_numbers(dumped[i])) {
      relater.add({dumped[i], "your " + text::one_line(dumped[i].name), i + 1});
    }
  };
  for (std::size_t i = 0; i < dumped.size(); ++i) {
    if (std::ranges::find(unmatched, i) == unmatched.end()) {
      add(i);
    }
  }
  std::vector<std::string> relations;
  for (const std::size_t i : unmatched) {
    const auto relation = has_numbers(dumped[i]) ? relater.find(within(dumped[i], tolerance)) : std::nullopt;
    relations.push_back(relation ? relation->words : "");
    add(i);
  }
  return relations;
}

}  // namespace attn::verify
