#include "render/step_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <variant>

#include "render/printed.hpp"

namespace attn::render {
namespace {

bool same(float a, float b) { return a == b || (a != a && b != b); }
template <class T>
bool same(T a, T b) {
  return a == b;
}

using Key = std::tuple<std::string, std::string, Step::Kind, int>;

std::vector<Key> keys_of(std::span<const Step> steps) {
  std::map<Key, int> count;
  std::vector<Key> keys;
  for (const Step& step : steps) {
    const int seen = count[{step.section, step.name, step.kind, 0}]++;
    keys.emplace_back(step.section, step.name, step.kind, seen);
  }
  return keys;
}

}  // namespace

std::vector<bool> differences(const Contents& a, const Contents& b) {
  return std::visit(
      [&b]<class T>(const Block<T>& values) {
        const auto& others = std::get<Block<T>>(b);
        std::vector<bool> differ(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          differ[i] = !same(values.data()[i], others.data()[i]);
        }
        return differ;
      },
      a);
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return false;
  }
  const auto differ = differences(*a.array().contents(), *b.array().contents());
  return std::find(differ.begin(), differ.end(), true) == differ.end();
}

std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed) {
  const std::vector<Key> as_is_keys = keys_of(as_is);
  const std::vector<Key> changed_keys = keys_of(changed);
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

std::string_view likeness(const StepPair& pair, TextOptions options) {
  constexpr std::string_view same_as_before = "same as before";
  if (pair.as_is == nullptr || pair.changed == nullptr) {
    return "";
  }
  switch (pair.as_is->kind) {
    case Step::Kind::tensor:
      if (same_numbers(*pair.as_is->tensor, *pair.changed->tensor)) {
        return same_as_before;
      }
      options.show_grad = false;
      return step_text(*pair.as_is, options) == step_text(*pair.changed, options)
                 ? "same as before in all printed digits"
                 : "";
    case Step::Kind::size:
      return pair.as_is->tensor->shape() == pair.changed->tensor->shape() ? same_as_before : "";
    case Step::Kind::text: break;
  }
  return pair.as_is->text == pair.changed->text ? same_as_before : "";
}

}  // namespace attn::render
