#include "verify/judge/in_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

namespace attn::port {
namespace {

/// Adds what a comparison of the cells from `first` on says; both hold.
void add(Comparison& all, const Comparison& some, std::int64_t first) {
  all.cells += some.cells;
  if (some.greatest_absolute > all.greatest_absolute) {
    all.greatest_absolute = some.greatest_absolute;
    all.absolute_at = first + some.absolute_at;
  }
  if (some.greatest_relative > all.greatest_relative) {
    all.greatest_relative = some.greatest_relative;
    all.relative_at = first + some.relative_at;
  }
  all.greatest_ulps = std::max(all.greatest_ulps, some.greatest_ulps);
  all.passing_rtol = std::max(all.passing_rtol, some.passing_rtol);
  all.passing_atol = std::max(all.passing_atol, some.passing_atol);
}

/// The comparison of all cells where they hold.
std::optional<Comparison> compared(const std::vector<double>& theirs, const Tensor& right, const Tolerance& tolerance) {
  constexpr std::size_t at_once = std::size_t{1} << 15U;  // what the cache holds
  Comparison all;
  all.passing_rtol = all.passing_atol = 0;
  std::vector<double> numbers;
  std::size_t first = 0;
  bool holds = true;
  const auto compare_with = [&](const auto& block) {
    for (std::size_t begin = 0; holds && begin < block.size(); begin += at_once) {
      const std::size_t end = std::min(block.size(), begin + at_once);
      numbers.assign(block.data() + begin, block.data() + end);
      const Comparison some = compare({theirs.data() + first, numbers.size()}, numbers, tolerance);
      holds = some.holds();
      add(all, some, static_cast<std::int64_t>(first));
      first += numbers.size();
    }
  };
  right.each_part([&](const Array& rows) {
    if (holds) {
      std::visit(compare_with, *rows.contents());
    }
  });
  return holds ? std::optional(std::move(all)) : std::nullopt;
}

/// The step of each tensor, by name; empty where some has none, or another shape.
std::map<const Step*, std::size_t> steps_of(std::span<const dump::Dumped> given, std::span<const Step> steps) {
  std::map<const Step*, std::size_t> found;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto is_named = [&](const Step& step) { return full_name(step) == given[i].name; };
    const auto step = std::ranges::find_if(steps, is_named);
    if (step == steps.end() || std::find_if(step + 1, steps.end(), is_named) != steps.end() ||
        step->tensor->shape() != given[i].shape || !found.emplace(&*step, i).second) {
      return {};
    }
  }
  return found;
}

}  // namespace

std::optional<Judgement> judge_in_order(std::span<const dump::Dumped> given, const ReadOne& read,
                                        std::span<const Step> steps, const Tolerance& tolerance) {
  Judgement result;
  result.way = std::move(ways_of(steps).front());
  for (const auto& [step, i] : steps_of(given, result.way.steps)) {
    const std::optional<Comparison> comparison = compared(read(given[i].name).values, *step->tensor, tolerance);
    if (!comparison) {
      return std::nullopt;
    }
    Judged judged;
    judged.matched = {.given = i, .theirs = &given[i], .step = step, .laid = Laid(), .is_right = true};
    judged.comparison = *comparison;
    result.tensors.push_back(std::move(judged));
  }
  return result.tensors.empty() ? std::nullopt : std::optional(std::move(result));
}

}  // namespace attn::port
