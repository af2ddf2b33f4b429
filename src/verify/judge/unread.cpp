#include "verify/judge/unread.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace attn::port {
namespace {

/// Adds the comparison of the cells from `first` on; both hold.
void add(Comparison& all, const Comparison& some, std::int64_t first) {
  all.cells += some.cells;
  if (some.greatest_absolute > all.greatest_absolute) {
    all.greatest_absolute = some.greatest_absolute;
    all.absolute_at = first + some.absolute_at;
    all.absolute_right = some.absolute_right;
  }
  if (some.greatest_relative > all.greatest_relative) {
    all.greatest_relative = some.greatest_relative;
    all.relative_at = first + some.relative_at;
    all.relative_right = some.relative_right;
  }
  all.greatest_ulps = std::max(all.greatest_ulps, some.greatest_ulps);
  all.passing_rtol = std::max(all.passing_rtol, some.passing_rtol);
  all.passing_atol = std::max(all.passing_atol, some.passing_atol);
}

}  // namespace

void compare_in_parts(
    std::span<const double> theirs, const Tensor& right, const Tolerance& tolerance,
    const std::function<bool(const Comparison& some, std::int64_t first, std::span<const double> right)>& use) {
  constexpr std::size_t at_once = std::size_t{1} << 15U;  // fits into the cache
  std::vector<double> numbers;
  std::size_t first = 0;
  bool is_wanted = true;
  const auto compare_with = [&](const auto& block) {
    for (std::size_t begin = 0; is_wanted && begin < block.size(); begin += at_once) {
      const std::size_t end = std::min(block.size(), begin + at_once);
      numbers.assign(block.data() + begin, block.data() + end);
      const Comparison some = compare(theirs.subspan(first, numbers.size()), numbers, tolerance);
      is_wanted = use(some, static_cast<std::int64_t>(first), numbers);
      first += numbers.size();
    }
  };
  right.every_part([&](const Array& rows) {
    std::visit(compare_with, *rows.contents());
    return is_wanted;
  });
}

std::optional<Comparison> compared_in_parts(std::span<const double> theirs, const Tensor& right,
                                            const Tolerance& tolerance) {
  Comparison all;
  all.passing_rtol = all.passing_atol = 0;
  bool holds = true;
  compare_in_parts(theirs, right, tolerance, [&](const Comparison& some, std::int64_t first, std::span<const double>) {
    add(all, some, first);
    holds = some.holds();
    return holds;
  });
  return holds ? std::optional(std::move(all)) : std::nullopt;
}

dump::Dumped* Unread::find(const dump::Dumped& tensor) const {
  const auto found = std::ranges::find_if(tensors_, [&](const dump::Dumped& one) { return &one == &tensor; });
  return found == tensors_.end() ? nullptr : &*found;
}

bool Unread::contains(const dump::Dumped& tensor) const {
  return tensor.values.empty() && element_count(tensor.shape) > 0 && find(tensor) != nullptr;
}

void Unread::load(const dump::Dumped& tensor) {
  if (contains(tensor)) {
    find(tensor)->values = read_(tensor.name).values;
  }
}

std::vector<double> Unread::numbers(const dump::Dumped& tensor) const {
  return contains(tensor) ? read_(tensor.name).values : tensor.values;
}

void Unread::load_all() {
  std::ranges::for_each(tensors_, [this](const dump::Dumped& tensor) { load(tensor); });
}

const Comparison* Unread::known(const dump::Dumped& theirs, const Tensor& right) const {
  const auto found = held_.find({&theirs, right.id()});
  return found == held_.end() ? nullptr : &found->second.comparison;
}

const Comparison* Unread::holding(const dump::Dumped& theirs, const Tensor& right, const Tolerance& tolerance) {
  if (const Comparison* const held = known(theirs, right)) {
    return held;
  }
  if (!contains(theirs) || theirs.shape != right.shape()) {
    return nullptr;
  }
  std::vector<double> values = read_(theirs.name).values;
  if (std::optional<Comparison> comparison = compared_in_parts(values, right, tolerance)) {
    return &held_.emplace(Key(&theirs, right.id()), Held{right, *std::move(comparison)}).first->second.comparison;
  }
  find(theirs)->values = std::move(values);
  return nullptr;
}

}  // namespace attn::port
