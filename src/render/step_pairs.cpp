#include "render/step_pairs.hpp"

#include <algorithm>
#include <cstddef>

namespace attn::render {

std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed) {
  const std::vector<StepKey> as_is_keys = step_keys(as_is);
  const std::vector<StepKey> changed_keys = step_keys(changed);
  std::vector<StepPair> pairs;
  std::size_t next = 0;
  for (std::size_t i = 0; i < as_is.size(); ++i) {
    const auto found =
        std::find(changed_keys.begin() + static_cast<std::ptrdiff_t>(next), changed_keys.end(), as_is_keys[i]);
    if (found == changed_keys.end()) {
      pairs.push_back({&as_is[i], nullptr});
      continue;
    }
    for (const auto place = static_cast<std::size_t>(found - changed_keys.begin()); next < place; ++next) {
      pairs.push_back({nullptr, &changed[next]});
    }
    pairs.push_back({&as_is[i], &changed[next++]});
  }
  for (; next < changed.size(); ++next) {
    pairs.push_back({nullptr, &changed[next]});
  }
  return pairs;
}

std::string_view likeness(const StepPair& pair, const TextOptions& options) {
  const bool are_both = pair.as_is != nullptr && pair.changed != nullptr;
  return are_both ? likeness(*pair.as_is, *pair.changed, options) : "";
}

}  // namespace attn::render
