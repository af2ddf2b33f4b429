#include "verify/port/relations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "text/lines.hpp"
#include "verify/explain/relations.hpp"

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

/// The dump's sizes, whose square roots may divide scores.
std::vector<std::int64_t> sizes_of(std::span<const Observed> dumped) {
  std::set<std::int64_t> sizes;
  for (const Observed& one : dumped) {
    sizes.insert(one.shape.begin(), one.shape.end());
  }
  return {sizes.begin(), sizes.end()};
}

}  // namespace

std::vector<std::string> relations_of(std::span<const Observed> dumped, std::span<const std::size_t> unmatched,
                                      const Tolerance& tolerance) {
  if (unmatched.empty()) {
    return {};
  }
  Relations relations(sizes_of(dumped));
  const auto add = [&](std::size_t i) {
    if (has_numbers(dumped[i])) {
      relations.add({dumped[i], "your " + text::one_line(dumped[i].name), i + 1});
    }
  };
  for (std::size_t i = 0; i < dumped.size(); ++i) {
    if (std::ranges::find(unmatched, i) == unmatched.end()) {
      add(i);
    }
  }
  std::vector<std::string> words;
  for (const std::size_t i : unmatched) {
    const auto relation = has_numbers(dumped[i]) ? relations.find(within(dumped[i], tolerance)) : std::nullopt;
    words.push_back(relation ? relation->words : "");
    add(i);
  }
  return words;
}

}  // namespace attn::verify
