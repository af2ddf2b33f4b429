#include "verify/judge/match.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/operations.hpp"
#include "verify/judge/items.hpp"
#include "verify/judge/layer_result.hpp"
#include "verify/judge/row_order.hpp"
#include "verify/judge/sense.hpp"
#include "verify/judge/unwritten.hpp"
#include "verify/propose/axes.hpp"
#include "walk/mistakes.hpp"

namespace attn::port {
namespace {

/// Numbers that few tensors share: of a mask, its shape.
bool says_something(const dump::Dumped& dumped) {
  constexpr std::size_t fewest_of_mask = 9;
  const auto is_telling = [](double value) { return value != 0 && value != 1 && std::isfinite(value); };
  const bool is_matrix = dumped.shape.size() >= 2 && dumped.values.size() >= fewest_of_mask;
  return dumped.values.size() > 2 && (is_matrix || std::ranges::any_of(dumped.values, is_telling)) &&
         std::ranges::any_of(dumped.values, [&](double value) { return value != dumped.values[0]; });
}

class Matcher {
 public:
  Matcher(std::span<const dump::Dumped> dumped, const Way& way, Right& right, Parts& parts)
      : dumped_(dumped),
        way_(way),
        steps_(way.steps),
        right_(right),
        parts_(parts),
        result_(steps_, items_, right),
        holders_(steps_.size()),
        is_named_(steps_.size()) {}

  Matching run(const Names& names) {
    items_ = items_of(dumped_, steps_, names, right_, parts_);
    for (const Item& item : items_) {
      if (item.by <= Matched::By::name && item.own == 1) {
        is_named_[item.candidates[0]] = true;
      }
    }
    std::ranges::stable_sort(items_, {}, &Item::by);
    right_.set_usual({});
    std::ranges::for_each(items_, [this](Item& item) { take_right(item); });
    right_.set_usual(usual_orders());
    std::ranges::for_each(items_, [this](Item& item) { read_unwritten(item); });
    release_contradicting();
    right_.set_usual(usual_orders());
    check_final();
    std::ranges::for_each(items_, [this](Item& item) { take_by_numbers(item); });
    release_contradicting();
    right_.set_usual(usual_orders());
    release_undecided();
    take_wrong();
    return result();
  }

 private:
  const Tensor& tensor(std::size_t step) const { return *steps_[step].tensor; }
  bool is_taken(std::size_t step) const { return holders_[step] > 0; }
  std::size_t step_of(const Item& item) const { return static_cast<std::size_t>(item.matched->step - steps_.data()); }

  // ---- What numbers say

  /// The layouts of right tensors other than weights.
  std::set<std::string> usual_orders() const {
    std::set<std::string> orders;
    for (const Item& item : items_) {
      if (item.matched && item.matched->laid->cells.empty() && item.matched->step->tensor->dim() > 2) {
        orders.insert(order_in(item.matched->laid->words));
      }
    }
    return orders;
  }

  /// The port's tensor stands for this step, and for that of another section that is the same: a program has it once.
  void add_wrong(std::size_t step, const Laid& laid) {
    operands_.add(tensor(step), laid);
    for (std::size_t other = 0; other < steps_.size(); ++other) {
      const bool is_same = other != step && steps_[other].name == steps_[step].name && !is_taken(other) &&
                           tensor(other).shape() == tensor(step).shape() &&
                           right_.values(tensor(other)) == right_.values(tensor(step));
      is_same ? operands_.add(tensor(other), laid) : void();
    }
  }

  void take(Item& item, std::size_t step, std::optional<Laid> laid, bool is_right) {
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
  std::vector<std::size_t> allowed(const Item& item) const {
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
  void release(Item& item, std::vector<std::size_t> candidates) {
    --holders_[step_of(item)];
    right_holders_.erase(step_of(item));
    item.matched.reset();
    item.candidates = std::move(candidates);
  }

  void release_contradicting() {
    for (Item* const item : rows_in_another_order(items_)) {
      release(*item, {step_of(*item)});
    }
  }

  bool take_holding(Item& item, const std::vector<std::size_t>& steps) {
    for (const std::size_t step : steps) {
      if (std::optional<Laid> laid = right_.holding(*item.theirs, tensor(step))) {
        take(item, step, std::move(laid), true);
        return true;
      }
    }
    return false;
  }

  void take_right(Item& item) { take_holding(item, allowed(item)); }

  void read_unwritten(Item& item) {
    for (const std::size_t step :
         item.matched || item.by > Matched::By::habit ? std::vector<std::size_t>() : allowed(item)) {
      if (std::optional<dump::Dumped> read = unwritten_scores(item, tensor(step), items_, steps_, right_)) {
        parts_.push_back(*std::move(read));
        item.theirs = &parts_.back();
        item.reading = "0 for what is hidden";
        take_right(item);
        return;
      }
    }
  }

  static bool is_input(const Step& step) {
    return step.name == "inputs" || step.name == "batch" || step.name == "second_input";
  }

  /// Returns true if another tensor has the right numbers of a step that the name may mean.
  bool has_right_other(const Item& item) const {
    return std::ranges::any_of(item.candidates, [&](std::size_t step) { return right_holders_.contains(step); });
  }

  void take_by_numbers(Item& item) {
    const auto has_shape = [&](std::size_t step) { return right_.nearest(*item.theirs, tensor(step)).has_value(); };
    if (item.matched || item.by < Matched::By::habit) {
      return;
    }
    right_.unread().load(*item.theirs);
    if (!says_something(*item.theirs)) {
      return;
    }
    // "query", the argument, beside "query_heads"; "scores", used again for the weights
    const bool is_said = item.is_certain && std::ranges::any_of(item.candidates, has_shape);
    const auto may_be = [&](std::size_t step) {
      return !is_said ||
             (is_input(steps_[step]) ? has_right_other(item)
                                     : !is_taken(step) && is_made_of(tensor(step), tensor(item.candidates[0])));
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
  void check_final() {
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

  void release_undecided() {
    for (Item& item : items_) {
      if (result_.step() && !is_taken(*result_.step()) && result_.is_undecided(item)) {
        undecided_.insert(item.given);
        release(item, {});
      }
    }
  }

  // ---- What is wrong

  struct Choice {
    std::size_t step;
    Laid laid;
    double distance;
    bool is_taken;
  };

  std::vector<Choice> choices_of(const Item& item) {
    std::vector<Choice> choices;
    std::vector<std::size_t> steps = allowed(item);
    const bool is_expected = result_.step() && !is_taken(*result_.step()) && result_.is_expected_at(item);
    constexpr double less_likely = 0.03;
    constexpr double another_form = 0.5;
    const double rearranged = item.by == Matched::By::name ? another_form + 0.1 : 0.1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (std::optional<Laid> laid = right_.nearest(*item.theirs, tensor(steps[i]))) {
        const double far = distance(*laid, tensor(steps[i]), right_.values(tensor(steps[i])));
        const bool is_own = std::ranges::find(item.candidates, steps[i]) - item.candidates.begin() <
                            static_cast<std::ptrdiff_t>(item.own);
        const bool is_others =
            (is_taken(steps[i]) && laid->cells.empty()) || (item.by == Matched::By::habit && is_named_[steps[i]]);
        const bool is_preferred = way_.is_named_scaled && steps_[steps[i]].name.starts_with("scaled_") &&
                                  tensor(steps[i]).kind() == Kind::scaled;
        const double unlikely = less_likely * static_cast<double>(i) + (is_own ? 0 : another_form) +
                                (laid->is_plain || laid->is_named ? 0 : rearranged);
        choices.push_back({steps[i], *std::move(laid),
                           is_expected && steps[i] == *result_.step() ? -1
                           : is_preferred                             ? 0
                                                                      : far + unlikely,
                           is_others});
      }
    }
    return choices;
  }

  struct Open {
    Item* item;
    std::vector<Choice> choices;
  };

  /// Of the port's own operands first, then the nearest one, in the order of the program. A slice whose name does not
  /// say which it is waits for its turn: heads may be alike.
  void take_wrong() {
    std::vector<Open> open;
    for (Item& item : items_) {
      if (!item.matched && !item.candidates.empty()) {
        open.push_back({&item, choices_of(item)});
        if (open.back().choices.empty()) {
          open.pop_back();
          if (item.is_certain) {
            take(item, item.candidates[0], std::nullopt, false);
          }
        }
      }
    }
    const auto first_of = [](const Open& one) { return one.choices[0].step; };
    while (!open.empty()) {
      const auto next = std::ranges::find_if(open, [&](Open& one) { return take_inherited(one, false); });
      if (next != open.end()) {
        open.erase(next);
        continue;
      }
      const auto first = std::ranges::min_element(open, {}, first_of);
      if (!take_inherited(*first, true)) {
        take_nearest(*first->item, first->choices, open);
      }
      open.erase(first);
    }
  }

  /// How the tensor is what the step makes of these operands; none where it is not. A wrong mask may hide all of a row,
  /// which tells -inf from a finite number.
  std::optional<Laid> following(const dump::Dumped& theirs, const Tensor& step, const Operands& operands) {
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

  bool take_inherited(Open& one, bool may_be_any_slice) {
    for (Choice& choice : one.choices) {
      std::optional<Laid> laid = following(*one.item->theirs, tensor(choice.step), operands_);
      if (laid && (may_be_any_slice || laid->cells.empty() || laid->is_named)) {
        take(*one.item, choice.step, std::move(laid), false);
        one.item->matched->is_inherited = true;
        return true;
      }
    }
    return false;
  }

  /// Returns true if another of the port's tensors follows from these scores at this step. For queries and keys that
  /// would prove little: scores follow from scaled ones too.
  bool is_followed(const Item& item, const Choice& choice, const std::vector<Open>& open) {
    Operands operands = operands_;
    operands.add(tensor(choice.step), choice.laid);
    return std::ranges::any_of(open, [&](const Open& other) {
      return other.item != &item && std::ranges::any_of(other.choices, [&](const Choice& its) {
               return its.step > choice.step && following(*other.item->theirs, tensor(its.step), operands);
             });
    });
  }

  bool holds_input(const Item& item) {
    return std::ranges::any_of(
        steps_, [&](const Step& step) { return is_input(step) && right_.holding(*item.theirs, *step.tensor); });
  }

  void take_nearest(Item& item, std::vector<Choice>& choices, const std::vector<Open>& open) {
    constexpr double unlike = 0.9;  ///< a loose name and such numbers prove nothing
    const auto twin = std::ranges::find_if(items_, [&](const Item& other) { return result_.is_twin(item, other); });
    std::ranges::stable_sort(choices, {}, [](const Choice& one) { return std::pair(one.is_taken, one.distance); });
    const auto same = std::ranges::find_if(choices, [&](const Choice& choice) {
      return twin != items_.end() && &steps_[choice.step] == twin->matched->step;
    });
    const auto followed = std::ranges::find_if(choices, [&](const Choice& choice) {
      return choices.size() > 1 && !choice.is_taken && is_token_by_token(tensor(choice.step)) &&
             is_followed(item, choice, open);
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

  Matching result() {
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

  /// Returns true if it is the step's result for the port's operands, which are known by now.
  void judge_again(Matched& matched) {
    if (std::optional<Laid> laid =
            matched.laid ? following(*matched.theirs, *matched.step->tensor, operands_) : std::nullopt) {
      matched.laid = std::move(laid);
      matched.is_inherited = true;
    }
  }

  std::span<const dump::Dumped> dumped_;
  const Way& way_;
  std::span<const Step> steps_;
  Right& right_;
  Parts& parts_;
  std::vector<Item> items_;
  LayerResult result_;
  std::vector<int> holders_;    ///< how many tensors each step has
  std::vector<bool> is_named_;  ///< steps that a tensor is by its exact name
  std::set<std::size_t> right_holders_;
  std::set<std::size_t> undecided_;
  Operands operands_;
};

}  // namespace

Matching match(std::span<const dump::Dumped> dumped, const Way& way, const Names& names, Right& right, Parts& parts) {
  return Matcher(dumped, way, right, parts).run(names);
}

}  // namespace attn::port
