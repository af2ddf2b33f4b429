#include "walk/step_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>

namespace attn {
namespace {

/// Section, name, kind, and number of such steps before.
using StepKey = std::tuple<std::string, std::string, Step::Kind, int>;

std::vector<StepKey> step_keys(std::span<const Step> steps) {
  std::map<StepKey, int> count;
  std::vector<StepKey> keys;
  for (const Step& step : steps) {
    const int seen = count[{step.section, step.name, step.kind, 0}]++;
    keys.emplace_back(step.section, step.name, step.kind, seen);
  }
  return keys;
}

}  // namespace

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

}  // namespace attn
