#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "verify/port/axes.hpp"
#include "verify/port/matcher.hpp"
#include "verify/port/sense.hpp"
#include "walk/mistakes.hpp"

namespace attn::verify {

/// Finds the nearest layout and how far it is; false if there is none.
bool Matcher::weigh(const Item& item, Choice& choice) {
  constexpr double less_likely = 0.03;
  constexpr double another_form = 0.5;
  const double rearranged = item.by == Matched::By::name ? another_form + 0.1 : 0.1;
  const Tensor& right = tensor(choice.step);
  choice.laid = choice.laid ? std::move(choice.laid) : right_.nearest(*item.theirs, right);
  if (choice.laid) {
    const bool is_preferred =
        way_.is_named_scaled && steps_[choice.step].name.starts_with("scaled_") && right.kind() == Kind::scaled;
    const bool is_usual = !are_entries_first_ || !order_in(choice.laid->words).starts_with("[T");
    const bool is_in_order = choice.laid->is_plain || choice.laid->is_named;
    choice.distance = choice.is_expected ? -1
                      : is_preferred
                          ? 0
                          : right_.distance(*choice.laid, right) + less_likely * static_cast<double>(choice.rank) +
                                (choice.is_own && is_usual ? 0 : another_form) + (is_in_order ? 0 : rearranged);
  }
  return choice.laid.has_value();
}

/// Returns true if a large tensor is of the step's shape: then it is not weighed unless somebody asks.
bool Matcher::is_large_like(const Item& item, std::size_t step) const {
  return item.theirs->shape == tensor(step).shape() && element_count(item.theirs->shape) > evaluation().large;
}

std::vector<Matcher::Choice> Matcher::choices_of(const Item& item) {
  std::vector<Choice> choices;
  const std::vector<std::size_t> steps = allowed(item);
  const bool is_expected = result_.step() && !is_taken(*result_.step()) && result_.is_expected_at(item);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (is_second_scores(item, steps[i])) {
      continue;
    }
    const bool is_own =
        std::ranges::find(item.candidates, steps[i]) - item.candidates.begin() < static_cast<std::ptrdiff_t>(item.own);
    Choice choice = {steps[i], i, is_own, is_expected && steps[i] == *result_.step()};
    const bool is_late = is_large_like(item, steps[i]);
    if (is_late || (choice.laid = right_.nearest(*item.theirs, tensor(steps[i])))) {
      choice.is_taken = (is_taken(steps[i]) && (is_late || choice.laid->cells.empty())) ||
                        (item.by == Matched::By::habit && is_named_[steps[i]]);
      choices.push_back(std::move(choice));
    }
  }
  return choices;
}

/// The sections of tensors whose names and shapes leave no choice of one, or that are placed.
std::set<std::string> Matcher::certain_sections() const {
  std::set<std::string> certain;
  for (const Item& item : items_) {
    std::set<std::string> sections;
    for (const std::size_t step : item.matched ? std::vector{step_of(item)} : allowed(item)) {
      if (!tensor(step).operands().empty() &&  // inputs and weights are all sections'
          element_count(tensor(step).shape()) == element_count(item.theirs->shape)) {
        sections.insert(steps_[step].section);
      }
    }
    if (sections.size() == 1) {
      certain.merge(sections);
    }
  }
  return certain;
}

std::vector<Matcher::Open> Matcher::open_items() {
  constexpr std::ptrdiff_t most = 16;  ///< wrong tensors: to look where each may follow from another takes long
  const bool are_few = std::ranges::count_if(items_, [](const Item& item) { return !item.matched; }) <= most;
  const std::set<std::string> sections = certain_sections();
  std::vector<Open> open;
  for (Item& item : items_) {
    if (item.matched) {
      continue;
    }
    Open one{&item, choices_of(item), {}};
    std::stable_partition(one.choices.begin(), one.choices.end(),
                          [&](const Choice& choice) { return sections.contains(steps_[choice.step].section); });
    const bool is_lost = one.choices.empty();
    const auto is_elsewhere = [&](std::size_t step) {
      return element_count(tensor(step).shape()) == element_count(item.theirs->shape) &&
             (is_lost || is_made_of_own(step, item));
    };
    for (std::size_t step = 0; are_few && step < steps_.size(); ++step) {
      if (is_elsewhere(step)) {
        one.elsewhere.push_back(step);
      }
    }
    if (is_lost) {
      sort_by_distance(item, one.elsewhere);
    }
    if (!is_lost || item.is_certain || says_something(*item.theirs)) {
      open.push_back(std::move(one));
    }
  }
  return open;
}

/// Puts the steps first that have the nearest numbers.
void Matcher::sort_by_distance(const Item& item, std::vector<std::size_t>& steps) {
  std::map<std::size_t, double> far;
  for (const std::size_t step : steps) {
    const std::optional<Laid> laid = right_.nearest(*item.theirs, tensor(step));
    far[step] = laid ? right_.distance(*laid, tensor(step)) : std::numeric_limits<double>::infinity();
  }
  std::ranges::stable_sort(steps, {}, [&](std::size_t step) { return far.at(step); });
}

bool Matcher::is_made_of_own(std::size_t step, const Item& item) const {
  return std::ranges::any_of(item.candidates, [&](std::size_t own) { return is_made_of(tensor(step), tensor(own)); });
}

/// Of the port's own operands first, then the nearest one, in the order of the program. A slice whose name does not
/// say which it is waits for its turn: heads may be alike.
void Matcher::take_wrong() {
  std::vector<Open> open = open_items();
  // Last those whose names other tensors have, with right numbers: a variable that is used again.
  const auto order_of = [this](const Open& one) {
    const auto is_held = [&](const Choice& choice) {
      return !is_token_by_token(tensor(choice.step)) && right_holders_.contains(choice.step);
    };
    return std::pair(!one.elsewhere.empty() && std::ranges::any_of(one.choices, is_held),
                     one.choices.empty() ? std::numeric_limits<std::size_t>::max() : one.choices[0].step);
  };
  const auto is_done = [](const Open& one) { return one.item->matched.has_value(); };
  while (!open.empty()) {
    const auto first = std::ranges::min_element(open, {}, order_of);
    if (first->choices.empty()) {
      break;
    }
    if (std::ranges::any_of(open, [&](Open& one) { return take_inherited(one, false); }) ||
        take_inherited(*first, true) || take_followed(*first, open)) {
      std::erase_if(open, is_done);
      continue;
    }
    take_nearest(*first->item, first->choices, open);
    open.erase(first);
  }
  take_lost(open);
}

/// Of tensors that no name and no number places, those that others of them follow from, and these.
void Matcher::take_lost(std::vector<Open>& open) {
  const auto is_done = [](const Open& one) { return one.item->matched.has_value(); };
  while (std::ranges::any_of(open, [&](Open& one) { return take_inherited(one, true) || take_followed(one, open); })) {
    std::erase_if(open, is_done);
  }
  for (const Open& one : open) {
    if (one.item->is_certain && !one.item->candidates.empty()) {
      const std::size_t step = one.item->candidates[0];
      take(*one.item, step, right_.nearest(*one.item->theirs, tensor(step)), false);
    }
  }
}

/// How the tensor is what the step makes of these operands; none where it is not. A wrong mask may hide all of a row,
/// which tells -inf from a finite number.
std::optional<Laid> Matcher::following(const Observed& theirs, const Tensor& step, const PortOperands& operands) {
  const auto held = [&](const Rewriter::Rule& rule) {
    const auto remade = operands.empty() ? std::nullopt : operands.remade(step, step, rule);
    return remade && remade->id() != step.id() ? right_.holding(theirs, *remade) : std::nullopt;
  };
  const auto is_wrong_mask = [](const Item& item) {
    return item.matched && !item.matched->is_right && item.matched->step->tensor->dtype() == DType::boolean;
  };
  std::optional<Laid> laid = held({});
  return laid || std::ranges::none_of(items_, is_wrong_mask) ? laid : held(mistake_of("mask-1e9", steps_).rule);
}

bool Matcher::take_inherited(Open& one, bool may_be_any_slice) {
  const auto is_it = [&](std::size_t step) {
    std::optional<Laid> laid = following(*one.item->theirs, tensor(step), operands_);
    if (!laid || !(may_be_any_slice || laid->cells.empty() || laid->is_named)) {
      return false;
    }
    take(*one.item, step, std::move(laid), false);
    one.item->matched->is_inherited = true;
    return true;
  };
  return std::ranges::any_of(one.choices, is_it, &Choice::step) ||
         std::ranges::any_of(one.elsewhere, [&](std::size_t step) { return !is_taken(step) && is_it(step); });
}

/// A tensor that no name places, and whose numbers are wrong, is what the other follows from: "valeurs", "arr_3".
bool Matcher::take_followed(const Open& other, std::span<const Open> open) {
  for (const Open& one : open) {
    const bool is_before = one.choices.empty() && one.item->given < other.item->given;
    for (std::size_t i = 0; is_before && i < one.elsewhere.size(); ++i) {
      const std::size_t step = one.elsewhere[i];
      std::optional<Laid> laid =
          is_taken(step) || one.item->matched ? std::nullopt : right_.nearest(*one.item->theirs, tensor(step));
      if (laid && laid->cells.empty() && follows(other, step, *laid)) {
        take(*one.item, step, std::move(laid), false);
        return true;
      }
    }
  }
  return false;
}

/// Returns true if the tensor is what a later step makes of another one at this step.
bool Matcher::follows(const Open& one, std::size_t step, const Laid& laid) {
  PortOperands operands = operands_;
  operands.add(tensor(step), laid);
  const auto is_it = [&](std::size_t later) {
    return later > step && following(*one.item->theirs, tensor(later), operands);
  };
  return std::ranges::any_of(one.choices, is_it, &Choice::step) ||
         std::ranges::any_of(one.elsewhere, [&](std::size_t later) { return !is_taken(later) && is_it(later); });
}

/// Returns true if another of the port's tensors follows from these scores at this step. For queries and keys that
/// would prove little: scores follow from scaled ones too.
bool Matcher::is_followed(const Item& item, const Choice& choice, std::span<const Open> open) {
  return std::ranges::any_of(
      open, [&](const Open& other) { return other.item != &item && follows(other, choice.step, *choice.laid); });
}

bool Matcher::holds_input(const Item& item) {
  return std::ranges::any_of(
      steps_, [&](const Step& step) { return is_input(step) && right_.holding(*item.theirs, *step.tensor); });
}

void Matcher::take_nearest(Item& item, std::vector<Choice>& choices, std::span<const Open> open) {
  constexpr double unlike = 0.9;  ///< a loose name and such numbers prove nothing
  std::erase_if(choices, [&](Choice& choice) { return !weigh(item, choice); });
  if (choices.empty()) {
    return;
  }
  const auto twin = std::ranges::find_if(items_, [&](const Item& other) { return result_.is_twin(item, other); });
  std::ranges::stable_sort(choices, {}, [](const Choice& one) { return std::pair(one.is_taken, one.distance); });
  const auto same = std::ranges::find_if(choices, [&](const Choice& choice) {
    return twin != items_.end() && &steps_[choice.step] == twin->matched->step;
  });
  const auto followed = std::ranges::find_if(choices, [&](const Choice& choice) {
    const bool may_tell = is_token_by_token(tensor(choice.step)) || steps_[choice.step].name.starts_with("context");
    return choices.size() > 1 && !choice.is_taken && may_tell && is_followed(item, choice, open);
  });
  const auto best = same != choices.end() ? same : followed != choices.end() ? followed : choices.begin();
  if (item.is_also_input && holds_input(item) && !is_followed(item, *best, open)) {
    return;  // the input, or not projected
  }
  if (item.is_certain || best->distance < unlike) {
    take(item, best->step, std::move(best->laid), false);
    if (tensor(best->step).dtype() == DType::boolean && tensor(best->step).kind() != Kind::bernoulli) {
      choose_sense(*item.matched, items_, steps_, right_, operands_);
    }
  }
}

/// Returns true if it is the step's result for the port's operands, which are known by now.
void Matcher::judge_again(Matched& matched) {
  if (std::optional<Laid> laid =
          matched.laid ? following(*matched.theirs, *matched.step->tensor, operands_) : std::nullopt) {
    matched.laid = std::move(laid);
    matched.is_inherited = true;
  }
}

}  // namespace attn::verify
