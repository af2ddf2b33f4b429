#include "verify/port/match.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/operations.hpp"
#include "verify/port/axes.hpp"
#include "verify/port/matcher.hpp"
#include "verify/port/row_order.hpp"
#include "verify/port/unwritten.hpp"

namespace attn::verify {

bool is_input(const Step& step) { return step.name == "inputs" || step.name == "batch" || step.name == "second_input"; }

bool says_something(const Observed& dumped) {
  constexpr std::size_t fewest_of_mask = 9;
  const auto is_telling = [](double value) { return value != 0 && value != 1 && std::isfinite(value); };
  const bool is_matrix = dumped.shape.size() >= 2 && dumped.values.size() >= fewest_of_mask;
  return dumped.values.size() > 2 && (is_matrix || std::ranges::any_of(dumped.values, is_telling)) &&
         std::ranges::any_of(dumped.values, [&](double value) { return value != dumped.values[0]; });
}

Matcher::Matcher(std::span<const Observed> dumped, const Way& way, Right& right, Parts& parts)
    : dumped_(dumped),
      way_(way),
      steps_(way.steps),
      right_(right),
      parts_(parts),
      result_(steps_, items_, right),
      holders_(steps_.size()),
      is_named_(steps_.size()) {}

Matching Matcher::run(const Names& names) {
  items_ = items_of(dumped_, steps_, names, right_, parts_);
  for (const Item& item : items_) {
    if (item.by <= Matched::By::name && item.own == 1) {
      is_named_[item.candidates[0]] = true;
    }
  }
  std::ranges::stable_sort(items_, {}, &Item::by);
  right_.set_usual({}, false);
  std::ranges::for_each(items_, [this](Item& item) { take_right(item); });
  learn_orders();
  std::ranges::for_each(items_, [this](Item& item) { read_unwritten(item); });
  release_contradicting();
  learn_orders();
  check_final();
  std::ranges::for_each(items_, [this](Item& item) { take_by_numbers(item); });
  release_contradicting();
  learn_orders();
  release_undecided();
  take_wrong();
  return result();
}

// ---- What numbers say

/// From now on prefers the layouts of right tensors other than weights.
void Matcher::learn_orders() {
  std::set<std::string> orders;
  bool has_columns = false;
  for (const Item& item : items_) {
    const bool is_whole = item.matched && item.matched->laid && item.matched->laid->cells.empty();
    if (!is_whole || item.matched->step->tensor->dim() < 2 || is_weight(*item.matched->step->tensor)) {
      continue;
    }
    const std::string order = order_in(item.matched->laid->words);
    has_columns = has_columns || order.ends_with("d, T]") || order.ends_with("D, T]") || order.ends_with("D, 1, T]");
    item.matched->step->tensor->dim() > 2 ? void(orders.insert(order)) : void();
  }
  right_.set_usual(std::move(orders), has_columns);
  const auto is_first = [](bool tokens) {
    return [tokens](const Item& item) {
      return item.matched && item.matched->is_right && is_tokens_first(item) == tokens;
    };
  };
  are_entries_first_ = std::ranges::any_of(items_, is_first(false)) && std::ranges::none_of(items_, is_first(true));
}

/// The port's tensor stands for this step, and for that of another section that is the same: a program has it once.
void Matcher::add_wrong(std::size_t step, const Laid& laid) {
  operands_.add(tensor(step), laid);
  for (std::size_t other = 0; other < steps_.size(); ++other) {
    const bool is_same = other != step && steps_[other].name == steps_[step].name && !is_taken(other) &&
                         tensor(other).shape() == tensor(step).shape() &&
                         right_.values(tensor(other)) == right_.values(tensor(step));
    is_same ? operands_.add(tensor(other), laid) : void();
  }
}

void Matcher::take(Item& item, std::size_t step, std::optional<Laid> laid, bool is_right) {
  if (laid && !item.reading.empty()) {
    laid->words += (laid->words.empty() ? "" : ", ") + item.reading;
  }
  item.matched = Matched{item.given, item.theirs, &steps_[step], item.by, std::move(laid), std::nullopt, is_right};
  ++holders_[step];
  if (!is_right && item.matched->laid && right_holders_.count(step) == 0) {
    add_wrong(step, *item.matched->laid);
  }
  if (is_right) {
    right_holders_.insert(step);
  }
}

/// The steps that shape and name allow: those of exactly its shape if there are any, unclaimed ones first.
std::vector<std::size_t> Matcher::allowed(const Item& item) const {
  std::vector<std::size_t> steps = item.candidates;
  const auto has_shape = [&](std::size_t step) { return tensor(step).shape() == item.theirs->shape; };
  if (item.by != Matched::By::numbers && item.theirs->shape.size() == 4 && std::ranges::any_of(steps, has_shape)) {
    std::erase_if(steps, [&](std::size_t step) { return !has_shape(step); });
  }
  std::stable_partition(steps.begin(), steps.end(), [&](std::size_t step) {
    return !is_taken(step) && !(item.by == Matched::By::habit && is_named_[step]);
  });
  return steps;
}

/// Takes a step that seemed right from a tensor, which may then be `candidates`.
void Matcher::release(Item& item, std::vector<std::size_t> candidates) {
  --holders_[step_of(item)];
  right_holders_.erase(step_of(item));
  item.matched.reset();
  item.candidates = std::move(candidates);
}

void Matcher::release_contradicting() {
  for (Item* const item : rows_in_another_order(items_)) {
    release(*item, {step_of(*item)});
  }
}

/// Returns true if the tensor, whose name means weights, would be scores that another tensor is: softmax is left out.
bool Matcher::is_second_scores(const Item& item, std::size_t step) const {
  return item.by == Matched::By::habit && tensor(item.candidates[0]).kind() == Kind::softmax && is_taken(step) &&
         is_made_of(tensor(item.candidates[0]), tensor(step));
}

bool Matcher::take_holding(Item& item, const std::vector<std::size_t>& steps) {
  for (const std::size_t step : steps) {
    if (is_second_scores(item, step)) {
      continue;
    }
    if (std::optional<Laid> laid = right_.holding(*item.theirs, tensor(step))) {
      take(item, step, std::move(laid), true);
      return true;
    }
  }
  return false;
}

void Matcher::read_unwritten(Item& item) {
  for (const std::size_t step :
       item.matched || item.by > Matched::By::habit ? std::vector<std::size_t>() : allowed(item)) {
    if (std::optional<Observed> read = unwritten_scores(item, tensor(step), items_, steps_, right_)) {
      parts_.push_back(*std::move(read));
      item.theirs = &parts_.back();
      item.reading = "0 for what is hidden";
      take_right(item);
      return;
    }
  }
}

/// Returns true if another tensor has the right numbers of a step that the name may mean.
bool Matcher::has_right_other(const Item& item) const {
  return std::ranges::any_of(item.candidates, [&](std::size_t step) { return right_holders_.contains(step); });
}

/// Queries are no keys, however they are called besides.
bool Matcher::is_rival(const Item& item, std::size_t step) const {
  constexpr std::array<std::string_view, 3> families = {"quer", "key", "value"};
  const auto family_of = [&](std::size_t one) {
    return std::ranges::find_if(families, [name = std::string_view(steps_[one].name)](std::string_view family) {
      return name.find(family) != std::string_view::npos;
    });
  };
  const auto* const own = item.candidates.empty() ? families.end() : family_of(item.candidates[0]);
  const auto* const other = family_of(step);
  return own != families.end() && other != families.end() && own != other;
}

void Matcher::take_by_numbers(Item& item) {
  const auto has_shape = [&](std::size_t step) { return right_.has_layout(*item.theirs, tensor(step)); };
  if (item.matched || item.by < Matched::By::habit || !says_something(*item.theirs)) {
    return;
  }
  // "query", the argument, beside "query_heads"; "scores", used again for the weights
  const bool is_said = item.is_certain && std::ranges::any_of(item.candidates, has_shape);
  const auto may_be = [&](std::size_t step) {
    return !is_rival(item, step) &&
           (!is_said ||
            (is_input(steps_[step]) ? has_right_other(item) : !is_taken(step) && is_made_of_own(step, item)));
  };
  Item any = item;
  any.candidates.clear();
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    may_be(step) ? any.candidates.push_back(step) : void();
  }
  any.by = Matched::By::numbers;
  if (take_holding(any, allowed(any))) {
    item = std::move(any);
  }
}

/// The projection is left out, where a tensor tells.
void Matcher::check_final() {
  if (!result_.step() || is_taken(*result_.step()) || result_.is_open()) {
    return;
  }
  const auto last = std::ranges::find_if(items_.rbegin(), items_.rend(),
                                         [&](const Item& item) { return result_.lacks_projection(item); });
  if (last == items_.rend()) {
    return;
  }
  if (std::optional<Laid> laid = right_.nearest(*last->theirs, tensor(*result_.step()))) {
    --holders_[step_of(*last)];
    take(*last, *result_.step(), std::move(laid), false);
  }
}

void Matcher::release_undecided() {
  for (Item& item : items_) {
    if (result_.step() && !is_taken(*result_.step()) && result_.is_undecided(item)) {
      undecided_.insert(item.given);
      release(item, {});
    }
  }
}

Matching Matcher::result() {
  Matching matching;
  std::set<std::size_t> found;
  for (Item& item : items_) {
    if (item.matched) {
      found.insert(item.given);
      if (!item.matched->is_right && !item.matched->is_inherited) {
        judge_again(*item.matched);
      }
      if (item.matched->is_inherited && item.matched->laid->cells.empty() && holders_[step_of(item)] == 1) {
        operands_.set_following(*item.matched->step->tensor);
      }
      matching.matched.push_back(*std::move(item.matched));
    }
  }
  std::ranges::stable_sort(matching.matched, {}, &Matched::step);
  for (std::size_t i = 0; i < dumped_.size(); ++i) {
    if (!found.contains(i)) {
      matching.unmatched.push_back(i);
    }
  }
  matching.undecided = std::move(undecided_);
  matching.operands = std::move(operands_);
  return matching;
}

Matching match(std::span<const Observed> dumped, const Way& way, const Names& names, Right& right, Parts& parts) {
  return Matcher(dumped, way, right, parts).run(names);
}

}  // namespace attn::verify
