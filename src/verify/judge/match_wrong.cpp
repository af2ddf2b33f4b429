#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "verify/judge/matcher.hpp"
#include "verify/judge/sense.hpp"
#include "verify/propose/axes.hpp"
#include "walk/mistakes.hpp"

namespace attn::port {

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
    choice.distance = choice.is_expected ? -1
                      : is_preferred
                          ? 0
                          : distance(*choice.laid, right, right_.values(right)) +
                                less_likely * static_cast<double>(choice.rank) + (choice.is_own ? 0 : another_form) +
                                (choice.laid->is_plain || choice.laid->is_named ? 0 : rearranged);
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

std::vector<Matcher::Open> Matcher::open_items() {
  std::vector<Open> open;
  for (Item& item : items_) {
    if (!item.matched && !item.candidates.empty()) {
      std::vector<Choice> choices = choices_of(item);
      if (!choices.empty()) {
        open.push_back({&item, std::move(choices)});
      } else if (item.is_certain) {
        take(item, item.candidates[0], std::nullopt, false);
      }
    }
  }
  constexpr std::ptrdiff_t most = 16;
  const auto is_unknown = [](const Item& item) { return !item.matched && item.candidates.empty(); };
  if (open.empty() || std::ranges::count_if(items_, is_unknown) > most) {
    return open;
  }
  for (Item& item : items_) {
    if (!is_unknown(item) || !says_something(*item.theirs)) {
      continue;
    }
    Open one{&item, {}, false};
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      if (element_count(tensor(step).shape()) == element_count(item.theirs->shape)) {
        one.choices.push_back({step});
      }
    }
    one.choices.empty() ? void() : open.push_back(std::move(one));
  }
  return open;
}

/// Of the port's own operands first, then the nearest one, in the order of the program. A slice whose name does not
/// say which it is waits for its turn: heads may be alike.
void Matcher::take_wrong() {
  std::vector<Open> open = open_items();
  const auto order_of = [](const Open& one) { return std::pair(!one.is_named, one.choices[0].step); };
  while (std::ranges::any_of(open, &Open::is_named)) {
    const auto next = std::ranges::find_if(open, [&](Open& one) { return take_inherited(one, false); });
    if (next != open.end()) {
      open.erase(next);
      continue;
    }
    const auto first = std::ranges::min_element(open, {}, order_of);
    if (!take_inherited(*first, true)) {
      if (take_followed(*first, open)) {
        continue;
      }
      take_nearest(*first->item, first->choices, open);
    }
    open.erase(first);
  }
  for (Open& one : open) {
    take_inherited(one, true);
  }
}

/// How the tensor is what the step makes of these operands; none where it is not. A wrong mask may hide all of a row,
/// which tells -inf from a finite number.
std::optional<Laid> Matcher::following(const dump::Dumped& theirs, const Tensor& step, const Operands& operands) {
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
  for (Choice& choice : one.choices) {
    if (!one.is_named && is_taken(choice.step)) {
      continue;
    }
    std::optional<Laid> laid = following(*one.item->theirs, tensor(choice.step), operands_);
    if (laid && (may_be_any_slice || laid->cells.empty() || laid->is_named)) {
      take(*one.item, choice.step, std::move(laid), false);
      one.item->matched->is_inherited = true;
      return true;
    }
  }
  return false;
}

/// A tensor whose name says nothing and whose numbers are wrong is what the other follows from: "valeurs", "arr_3".
bool Matcher::take_followed(const Open& other, std::vector<Open>& open) {
  for (auto one = open.begin(); one != open.end(); ++one) {
    for (const Choice& choice : one->choices) {
      std::optional<Laid> laid = one->is_named || is_taken(choice.step)
                                     ? std::nullopt
                                     : right_.nearest(*one->item->theirs, tensor(choice.step));
      if (!laid || !laid->cells.empty()) {
        continue;
      }
      Operands operands = operands_;
      operands.add(tensor(choice.step), *laid);
      const bool is_it = std::ranges::any_of(other.choices, [&](const Choice& its) {
        return its.step > choice.step && following(*other.item->theirs, tensor(its.step), operands);
      });
      if (is_it) {
        take(*one->item, choice.step, std::move(laid), false);
        open.erase(one);
        return true;
      }
    }
  }
  return false;
}

/// Returns true if another of the port's tensors follows from these scores at this step. For queries and keys that
/// would prove little: scores follow from scaled ones too.
bool Matcher::is_followed(const Item& item, const Choice& choice, const std::vector<Open>& open) {
  Operands operands = operands_;
  operands.add(tensor(choice.step), *choice.laid);
  return std::ranges::any_of(open, [&](const Open& other) {
    return other.item != &item && std::ranges::any_of(other.choices, [&](const Choice& its) {
             return its.step > choice.step && following(*other.item->theirs, tensor(its.step), operands);
           });
  });
}

bool Matcher::holds_input(const Item& item) {
  return std::ranges::any_of(
      steps_, [&](const Step& step) { return is_input(step) && right_.holding(*item.theirs, *step.tensor); });
}

void Matcher::take_nearest(Item& item, std::vector<Choice>& choices, const std::vector<Open>& open) {
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

}  // namespace attn::port
