#include "verify/explain/place.hpp"

#include <algorithm>
#include <optional>

#include "verify/explain/numbers.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// The largest distance of a neighbour whose chapter may be the tensor's.
constexpr std::size_t most_neighbours = 8;

std::optional<std::size_t> recognised_before(std::span<const Choice> chosen, std::size_t i) {
  for (std::size_t back = 1; back <= std::min(i, most_neighbours); ++back) {
    if (chosen[i - back]) {
      return i - back;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> recognised_after(std::span<const Choice> chosen, std::size_t i) {
  for (std::size_t next = i + 1; next < std::min(chosen.size(), i + 1 + most_neighbours); ++next) {
    if (chosen[next]) {
      return next;
    }
  }
  return std::nullopt;
}

}  // namespace

bool Places::fits(std::size_t i, std::size_t step) const {
  const Shape& shape = known_[step].step->tensor->shape();
  return is_size(printed_[i]) ? printed_[i].shape == shape : same_shape(printed_[i], shape);
}

/// Looks for the label among `count` steps from `first` on; a step of the same shape wins.
void Places::look(std::size_t i, std::size_t first, std::size_t count, Choice& found) const {
  const std::span<const std::size_t> steps = known_.called(plain_label(printed_[i].label));
  for (auto at = std::lower_bound(steps.begin(), steps.end(), first); at != steps.end() && *at < first + count; ++at) {
    const std::size_t step = *at;
    const KnownStep& here = known_[step];
    if (!here.step->tensor || here.is_size != is_size(printed_[i])) {
      continue;
    }
    if (!found || (fits(i, step) && !fits(i, *found))) {
      found = step;
    }
  }
}

Choice Places::labelled(std::size_t i) const {
  Choice found;
  if (plain_label(printed_[i].label).empty()) {
    return found;
  }
  const auto before = recognised_before(chosen_, i);
  const auto after = recognised_after(chosen_, i);
  for (const auto& neighbour : {before, after}) {
    if (neighbour) {
      const Explanation& explanation = *known_[*chosen_[*neighbour]].explanation;
      look(i, known_.first_of(explanation), known_.count_of(explanation), found);
    }
  }
  if (!before && !after && !is_size(printed_[i])) {
    look(i, 0, known_.steps().size(), found);
  }
  return found;
}

Choice Places::placed(std::size_t i) const {
  const auto before = recognised_before(chosen_, i);
  const auto after = recognised_after(chosen_, i);
  if ((!before && !after) || (!before && i >= most_neighbours) || (!after && chosen_.size() - i > most_neighbours)) {
    return std::nullopt;
  }
  const Explanation& explanation = *known_[*chosen_[before ? *before : *after]].explanation;
  if (after && known_[*chosen_[*after]].explanation != &explanation) {
    return std::nullopt;
  }
  // If nothing is recognised before it, the page begins as the chapter does; it ends as the chapter ends.
  const std::size_t first = before ? *chosen_[*before] + 1 : known_.first_of(explanation);
  const std::size_t end = after ? *chosen_[*after] : known_.first_of(explanation) + known_.count_of(explanation);
  const std::size_t page_first = before ? *before + 1 : 0;
  const std::size_t page_end = after ? *after : chosen_.size();
  std::vector<std::size_t> between;
  for (std::size_t step = first; step < end; ++step) {
    if (known_[step].step->in_article && known_[step].step->tensor) {
      between.push_back(step);
    }
  }
  if (between.size() != page_end - page_first) {
    return std::nullopt;
  }
  const std::size_t step = between[i - page_first];
  return known_[step].is_size == is_size(printed_[i]) ? Choice(step) : std::nullopt;
}

}  // namespace attn::verify
