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
#include "verify/judge/row_order.hpp"
#include "verify/judge/sense.hpp"
#include "verify/propose/axes.hpp"

namespace attn::port {
namespace {

/// Numbers that few tensors share.
bool says_something(const dump::Dumped& dumped) {
  const auto is_telling = [](double value) { return value != 0 && value != 1 && std::isfinite(value); };
  return dumped.values.size() > 2 && std::ranges::any_of(dumped.values, is_telling) &&
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

  void take(Item& item, std::size_t step, std::optional<Laid> laid, bool is_right) {
    item.matched = Matched{item.given, item.theirs, &steps_[step], item.by, std::move(laid), std::nullopt, is_right};
    ++holders_[step];
    if (!is_right && item.matched->laid && right_holders_.count(step) == 0) {
      operands_.add(tensor(step), *item.matched->laid);
    }
    if (is_right) {
      right_holders_.insert(step);
    }
  }

  /// The steps that shape and name allow: those of exactly its shape if there are any, unclaimed ones first.
  std::vector<std::size_t> allowed(const Item& item) const {
    std::vector<std::size_t> steps = item.candidates;
    const auto has_shape = [&](std::size_t step) { return tensor(step).shape() == item.theirs->shape; };
    if (item.theirs->shape.size() == 4 && std::ranges::any_of(steps, has_shape)) {
      std::erase_if(steps, [&](std::size_t step) { return !has_shape(step); });
    }
    std::stable_partition(steps.begin(), steps.end(), [&](std::size_t step) {
      return !is_taken(step) && !(item.by == Matched::By::habit && is_named_[step]);
    });
    return steps;
  }

  /// Takes a step that seemed right from a tensor, which may then be `candidates`.
  void release(Item& item, std::vector<std::size_t> candidates) {
    const auto step = static_cast<std::size_t>(item.matched->step - steps_.data());
    --holders_[step];
    right_holders_.erase(step);
    item.matched.reset();
    item.candidates = std::move(candidates);
  }

  void release_contradicting() {
    for (Item* const item : rows_in_another_order(items_)) {
      release(*item, {static_cast<std::size_t>(item->matched->step - steps_.data())});
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

  void take_by_numbers(Item& item) {
    const auto has_shape = [&](std::size_t step) { return right_.nearest(*item.theirs, tensor(step)).has_value(); };
    if (item.matched || item.by < Matched::By::habit ||
        (item.is_certain && std::ranges::any_of(item.candidates, has_shape))) {
      return;
    }
    right_.unread().load(*item.theirs);
    if (!says_something(*item.theirs)) {
      return;
    }
    Item any = item;
    any.candidates.clear();
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      any.candidates.push_back(step);
    }
    any.by = Matched::By::numbers;
    if (take_holding(any, allowed(any))) {
      item = std::move(any);
    }
  }

  /// The step of the output projection, if any.
  std::optional<std::size_t> projected() const {
    const auto projection = std::ranges::find(steps_, std::string("out_proj_weight"), &Step::name);
    for (std::size_t i = 0; projection != steps_.end() && i < steps_.size(); ++i) {
      if (tensor(i).kind() == Kind::linear && tensor(i).operands()[1].id() == projection->tensor->id()) {
        return i;
      }
    }
    return std::nullopt;
  }

  bool may_be_result(const Item& item, std::size_t result) {
    return may_be(item, result) && right_.nearest(*item.theirs, tensor(result));
  }

  bool may_be(const Item& item, std::size_t step) const {
    return std::ranges::find(item.candidates, step) != item.candidates.end();
  }

  /// Returns true if the layer's result has no tensor yet, and none later in the dump may be it.
  bool is_result(const Item& item) {
    const std::optional<std::size_t> result = projected();
    const auto fits = [&](const Item& one) { return one.is_final && may_be_result(one, *result); };
    return result && !is_taken(*result) && has_projection() && fits(item) &&
           std::ranges::none_of(items_, [&](const Item& other) { return other.given > item.given && fits(other); });
  }

  /// Returns true if the other tensor has been matched and has the same shape and numbers.
  bool is_twin(const Item& item, const Item& other) {
    return &other != &item && other.matched &&
           right_.are_same(*item.theirs, *other.theirs, &*other.matched->step->tensor);
  }

  /// Returns true if another tensor of this shape has the same numbers, and they are right.
  bool is_double(const Item& item) {
    return std::ranges::any_of(
        items_, [&](const Item& other) { return other.matched && other.matched->is_right && is_twin(item, other); });
  }

  /// Whether all that comes after it in the dump are weights.
  bool is_last(const Item& item) const {
    return std::ranges::none_of(items_, [&](const Item& other) {
      const Tensor* const tensor = other.matched ? &*other.matched->step->tensor : nullptr;
      return other.given > item.given && (tensor == nullptr || (tensor->dim() > 1 && !is_weight(*tensor)));
    });
  }

  bool has_projection() const {
    return std::ranges::any_of(
        items_, [](const Item& item) { return item.matched && item.matched->step->name.starts_with("out_proj"); });
  }

  /// Returns true if another tensor is the heads' contexts.
  bool has_context_beside(const Item& item) const {
    return (item.is_certain || is_last(item)) && std::ranges::any_of(items_, [&](const Item& other) {
             return other.given < item.given && other.matched && !other.is_final &&
                    other.matched->step->name.starts_with("context") && other.matched->laid->cells.empty();
           });
  }

  /// A layer's result whose numbers are those that its projection gets, where another tensor has these, or the port has
  /// a projection and nothing else is called its result: the projection is left out.
  void check_final() {
    const std::optional<std::size_t> result = projected();
    if (!result || is_taken(*result)) {
      return;
    }
    const bool has_other = std::ranges::any_of(
        items_, [&](const Item& item) { return item.is_final && !item.matched && may_be_result(item, *result); });
    for (auto last = items_.rbegin(); last != items_.rend(); ++last) {
      Item& item = *last;
      if (!item.matched || !may_be(item, *result) || has_other) {
        continue;
      }
      const auto step = static_cast<std::size_t>(item.matched->step - steps_.data());
      if (is_double(item) || (item.is_final && (has_projection() || has_context_beside(item)))) {
        if (std::optional<Laid> laid = right_.nearest(*item.theirs, tensor(*result))) {
          --holders_[step];
          take(item, *result, std::move(laid), false);
        }
        return;
      }
    }
  }

  /// What is called the layer's result, or is the last of the dump with a name that does not say what it is, and has
  /// the numbers that the last projection gets: without the projection it is wrong, and before it right.
  void release_undecided() {
    const std::optional<std::size_t> result = projected();
    const auto is_undecided = [&](const Item& item) {
      const bool is_vague = item.by == Matched::By::numbers ||
                            (!item.is_certain && !steps_[item.candidates[0]].name.starts_with("context"));
      return item.matched && item.matched->is_right && item.matched->step->name.starts_with("context") &&
             item.by >= Matched::By::habit && (item.is_final || (is_vague && is_last(item))) &&
             right_.nearest(*item.theirs, tensor(*result));
    };
    for (Item& item : items_) {
      if (result && !is_taken(*result) && is_undecided(item)) {
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
    const std::optional<std::size_t> result = is_result(item) ? projected() : std::nullopt;
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
                           steps[i] == result ? -1
                           : is_preferred     ? 0
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

  /// How the tensor is what the step makes of these operands; none where it is not.
  std::optional<Laid> following(const Item& item, std::size_t step, const Operands& operands) {
    const auto remade = operands.empty() ? std::nullopt : operands.remade(tensor(step));
    return remade && remade->id() != tensor(step).id() ? right_.holding(*item.theirs, *remade) : std::nullopt;
  }

  bool take_inherited(Open& one, bool may_be_any_slice) {
    for (Choice& choice : one.choices) {
      std::optional<Laid> laid = following(*one.item, choice.step, operands_);
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
               return its.step > choice.step && following(*other.item, its.step, operands);
             });
    });
  }

  void take_nearest(Item& item, std::vector<Choice>& choices, const std::vector<Open>& open) {
    constexpr double unlike = 0.9;  ///< a loose name and such numbers prove nothing
    const auto twin = std::ranges::find_if(items_, [&](const Item& other) { return is_twin(item, other); });
    std::ranges::stable_sort(choices, {}, [](const Choice& one) { return std::pair(one.is_taken, one.distance); });
    const auto same = std::ranges::find_if(choices, [&](const Choice& choice) {
      return twin != items_.end() && &steps_[choice.step] == twin->matched->step;
    });
    const auto followed = std::ranges::find_if(choices, [&](const Choice& choice) {
      return choices.size() > 1 && !choice.is_taken && is_token_by_token(tensor(choice.step)) &&
             is_followed(item, choice, open);
    });
    const auto best = same != choices.end() ? same : followed != choices.end() ? followed : choices.begin();
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
        const auto step = static_cast<std::size_t>(item.matched->step - steps_.data());
        if (item.matched->is_inherited && item.matched->laid->cells.empty() && holders_[step] == 1) {
          operands_.set_following(tensor(step));
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
    matching.operands = std::move(operands_);
    return matching;
  }

  /// Returns true if it is the step's result for the port's operands, which are known by now.
  void judge_again(Matched& matched) {
    const auto remade = matched.laid ? operands_.remade(*matched.step->tensor) : std::nullopt;
    if (remade && remade->id() != matched.step->tensor->id()) {
      if (std::optional<Laid> laid = right_.holding(*matched.theirs, *remade)) {
        matched.laid = std::move(laid);
        matched.is_inherited = true;
      }
    }
  }

  std::span<const dump::Dumped> dumped_;
  const Way& way_;
  std::span<const Step> steps_;
  Right& right_;
  Parts& parts_;
  std::vector<Item> items_;
  std::vector<int> holders_;    ///< how many tensors each step has
  std::vector<bool> is_named_;  ///< steps that a tensor is by its exact name
  std::set<std::size_t> right_holders_;
  Operands operands_;
};

}  // namespace

Matching match(std::span<const dump::Dumped> dumped, const Way& way, const Names& names, Right& right, Parts& parts) {
  return Matcher(dumped, way, right, parts).run(names);
}

}  // namespace attn::port
