#include "verify/port/match.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tensor/operations.hpp"
#include "verify/port/axes.hpp"
#include "walk/mistake_rules.hpp"

namespace attn::verify {
namespace {

/// Returns true for the steps that a program gets.
bool is_input(const Step& step) { return step.name == "inputs" || step.name == "batch" || step.name == "second_input"; }

bool is_context(const Step& step) { return step.name.starts_with("context") || step.name == "joined_heads"; }

/// The output projection; none if the lesson has none.
std::optional<std::size_t> projection_in(std::span<const Step> steps) {
  const auto weight = std::ranges::find(steps, std::string("out_proj_weight"), &Step::name);
  const auto step = std::ranges::find_if(steps, [&](const Step& one) {
    return weight != steps.end() && one.tensor->kind() == Kind::linear &&
           one.tensor->operands()[1].id() == weight->tensor->id();
  });
  return step == steps.end() ? std::nullopt : std::optional(static_cast<std::size_t>(step - steps.begin()));
}

/// What a tensor's numbers are those of, laid out otherwise.
const Tensor& source_of(const Tensor& tensor) {
  const bool is_view = tensor.operation().is_view() || tensor.kind() == Kind::contiguous;
  return is_view && element_count(tensor.operands()[0].shape()) == element_count(tensor.shape())
             ? source_of(tensor.operands()[0])
             : tensor;
}

/// Returns true for numbers that few tensors share: of a mask, its shape.
bool says_something(const Observed& dumped) {
  constexpr std::size_t fewest_of_mask = 9;
  const auto is_telling = [](double value) { return value != 0 && value != 1 && std::isfinite(value); };
  const bool is_matrix = dumped.shape.size() >= 2 && dumped.values.size() >= fewest_of_mask;
  return dumped.values.size() > 2 && (is_matrix || std::ranges::any_of(dumped.values, is_telling)) &&
         std::ranges::any_of(dumped.values, [&](double value) { return value != dumped.values[0]; });
}

bool is_below_0(double value) { return value < 0; }

/// One match of a dump with the steps of a way, in four phases; whatever the order of the file.
class Matcher {
 public:
  Matcher(std::span<const Observed> dumped, const Way& way, Right& right, Parts& parts)
      : dumped_(dumped),
        steps_(way.steps),
        right_(right),
        parts_(parts),
        result_(projection_in(steps_)),
        holders_(steps_.size()),
        is_right_(steps_.size()),
        is_named_(steps_.size()) {}

  Matching run(const Names& names) {
    items_ = items_of(dumped_, steps_, names, right_, parts_);
    std::ranges::stable_sort(items_, {}, [](const Item& item) { return std::pair(item.by, item.theirs->name); });
    for (const Item& item : items_) {
      if (item.by <= Matched::By::name && item.own == 1) {
        is_named_[item.candidates[0]] = true;
      }
    }
    take_right_by_name();
    take_right_by_numbers();
    doubt_result();
    take_wrong();
    return result();
  }

 private:
  const Tensor& tensor(std::size_t step) const { return *steps_[step].tensor; }
  bool is_taken(std::size_t step) const { return holders_[step] > 0; }
  std::size_t step_of(const Item& item) const { return static_cast<std::size_t>(item.matched->step - steps_.data()); }
  bool may_mean(const Item& item, std::size_t step) const {
    return std::ranges::find(item.candidates, step) != item.candidates.end();
  }

  // ---- What is known of tensors and steps

  /// Whether a right tensor has the step's numbers, however they are laid out.
  bool is_shown(std::size_t step) const {
    return std::ranges::any_of(items_, [&](const Item& item) {
      return item.matched && item.matched->is_right &&
             source_of(*item.matched->step->tensor).id() == source_of(tensor(step)).id();
    });
  }

  /// The port's tensor stands for this step, and for that of another section that is the same: a program has it once.
  void add_operand(std::size_t step, const Laid& laid) {
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
    item.matched = Matched{item.given, item.theirs, &steps_[step], item.by, std::move(laid), is_right};
    ++holders_[step];
    if (is_right) {
      is_right_[step] = true;
    } else if (item.matched->laid && !is_right_[step]) {
      add_operand(step, *item.matched->laid);
    }
  }

  void release(Item& item) {
    --holders_[step_of(item)];
    is_right_[step_of(item)] = false;
    item.matched.reset();
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

  bool is_made_of_own(std::size_t step, const Item& item) const {
    return std::ranges::any_of(item.candidates, [&](std::size_t own) { return is_made_of(tensor(step), tensor(own)); });
  }

  // ---- 1. By name: what is right

  bool take_holding(Item& item, const std::vector<std::size_t>& steps) {
    for (const std::size_t step : steps) {
      if (std::optional<Laid> laid = right_.holding(*item.theirs, tensor(step))) {
        take(item, step, std::move(laid), true);
        return true;
      }
    }
    return false;
  }

  void take_right_by_name() {
    std::ranges::for_each(items_, [this](Item& item) { take_holding(item, allowed(item)); });
    for (Item& item : items_) {
      if (!item.matched && item.by <= Matched::By::habit) {
        take_unwritten(item);
      }
    }
  }

  /// The port's weights of these scores, as they are laid out; none if it has none.
  std::optional<Laid> weights_of(std::size_t scores, const std::vector<std::int64_t>& cells) {
    for (const Item& item : items_) {
      for (const std::size_t step : item.candidates) {
        const bool is_of_these = tensor(step).kind() == Kind::softmax && is_made_of(tensor(step), tensor(scores));
        std::optional<Laid> laid = is_of_these ? right_.nearest(*item.theirs, tensor(step)) : std::nullopt;
        if (laid && laid->cells == cells && std::ranges::none_of(laid->values, is_below_0)) {
          return laid;
        }
      }
    }
    return std::nullopt;
  }

  /// Scores of a loop over the visible tokens alone, as llm.c's, are 0 where they are hidden, and so are the weights.
  void take_unwritten(Item& item) {
    const bool may_be_scores = std::ranges::any_of(item.theirs->values, is_below_0);
    for (const std::size_t step : may_be_scores ? allowed(item) : std::vector<std::size_t>()) {
      const SharedNumbers right = right_.values(tensor(step));
      const bool is_masked = std::ranges::find(right, -infinity) != right.end();
      const std::optional<Laid> laid = is_masked ? right_.nearest(*item.theirs, tensor(step)) : std::nullopt;
      const std::optional<Laid> weights = laid ? weights_of(step, laid->cells) : std::nullopt;
      if (!weights) {
        continue;
      }
      const bool is_slice = !laid->cells.empty();
      const Observed plain = {item.theirs->name, is_slice ? item.theirs->shape : tensor(step).shape(),
                              item.theirs->dtype, is_slice ? item.theirs->values : laid->values};
      std::vector<double> values = plain.values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t cell = is_slice ? at(laid->cells[i]) : i;
        const bool is_unwritten = values[i] == 0 && laid->values[cell] == 0 && weights->values[cell] == 0;
        values[i] = is_unwritten ? -double{infinity} : values[i];
      }
      if (plain.values != values) {
        item.theirs = &parts_.emplace_back(Observed{plain.name, plain.shape, plain.dtype, std::move(values)});
        item.reading = "0 for what is hidden";
        take_holding(item, allowed(item));
        return;
      }
    }
  }

  // ---- 2. By numbers, in the program's order: what is right

  /// Whether a tensor may be a step that its name does not mean: where nothing fits the name; "query", the argument,
  /// beside "query_heads"; "scores", used again for the weights.
  bool may_be_by_numbers(const Item& item, std::size_t step) const {
    const auto has_shape = [&](std::size_t own) { return right_.has_layout(*item.theirs, tensor(own)); };
    if (!item.is_certain || std::ranges::none_of(item.candidates, has_shape)) {
      return true;
    }
    return is_input(steps_[step])
               ? std::ranges::any_of(item.candidates, [&](std::size_t own) { return is_right_[own]; })
               : !is_taken(step) && is_made_of_own(step, item);
  }

  void take_right_by_numbers() {
    for (Item& item : items_) {
      if (item.matched || item.by < Matched::By::habit || !says_something(*item.theirs)) {
        continue;
      }
      Item any = item;
      any.by = Matched::By::numbers;
      any.candidates.clear();
      for (std::size_t step = 0; step < steps_.size(); ++step) {
        may_be_by_numbers(item, step) ? any.candidates.push_back(step) : void();
      }
      if (take_holding(any, allowed(any))) {
        item = std::move(any);
      }
    }
  }

  // ---- The layer's result, whose name contexts may have

  bool may_be_result(const Item& item) const {
    return item.is_final && may_mean(item, *result_) && right_.has_layout(*item.theirs, tensor(*result_));
  }

  /// What may be the result and has the contexts' numbers is not known to be right: the port may lack its projection.
  void doubt_result() {
    const auto is_open = [&](const Item& item) { return !item.matched && may_be_result(item); };
    if (!result_ || is_taken(*result_) || std::ranges::any_of(items_, is_open)) {
      return;
    }
    for (Item& item : items_) {
      const bool is_context_now = item.matched && item.by >= Matched::By::habit && is_context(*item.matched->step) &&
                                  right_.has_layout(*item.theirs, tensor(*result_));
      if (is_context_now && item.is_final) {
        undecided_.insert(item.given);
        release(item);
        item.candidates.clear();
      }
    }
  }

  // ---- 3. Wrong by name, and 4. inherited

  struct Choice {
    std::size_t step;
    Laid laid;
    double distance;
  };
  struct Open {
    Item* item;
    std::vector<Choice> choices;  ///< the nearest first
  };

  /// The sections of tensors that are placed, or whose names and shapes leave no choice of one.
  std::set<std::string> certain_sections() const {
    std::set<std::string> certain;
    for (const Item& item : items_) {
      std::set<std::string> sections;
      for (const std::size_t step : item.matched ? std::vector{step_of(item)} : allowed(item)) {
        if (!tensor(step).operands().empty() &&  // inputs and weights are all sections'
            element_count(tensor(step).shape()) == element_count(item.theirs->shape)) {
          sections.insert(steps_[step].section);
        }
      }
      sections.size() == 1 ? certain.merge(sections) : void();
    }
    return certain;
  }

  /// The steps with a layout for the tensor, and how unlike each is by its numbers, its layout and its name.
  std::vector<Choice> choices_of(const Item& item, const std::set<std::string>& sections) {
    constexpr double less_likely = 0.03;
    constexpr double another_form = 0.5;
    const double rearranged = item.by == Matched::By::name ? another_form + 0.1 : 0.1;
    const std::vector<std::size_t> steps = allowed(item);
    std::vector<Choice> choices;
    for (std::size_t rank = 0; rank < steps.size(); ++rank) {
      const std::size_t step = steps[rank];
      if (std::optional<Laid> laid = right_.nearest(*item.theirs, tensor(step))) {
        const auto place = std::ranges::find(item.candidates, step) - item.candidates.begin();
        const bool is_own = place < static_cast<std::ptrdiff_t>(item.own);
        const double far = right_.distance(*laid, tensor(step)) + less_likely * static_cast<double>(rank) +
                           (is_own ? 0 : another_form) + (laid->is_plain || laid->is_named ? 0 : rearranged) +
                           (sections.empty() || sections.contains(steps_[step].section) ? 0 : 2) +
                           (steps_[step].section == steps_[steps[0]].section ? 0 : another_form);
        choices.push_back({step, *std::move(laid), far});
      }
    }
    std::ranges::stable_sort(choices, {}, &Choice::distance);
    return choices;
  }

  /// In the order of the program; what follows from the port's own operands first. A slice whose name does not say
  /// which it is waits for its turn: heads may be alike.
  void take_wrong() {
    const std::set<std::string> sections = certain_sections();
    std::vector<Open> open;
    for (Item& item : items_) {
      if (!item.matched) {
        Open one{&item, choices_of(item, sections)};
        one.choices.empty() && !item.is_certain ? void() : open.push_back(std::move(one));
      }
    }
    std::ranges::stable_sort(
        open, {}, [this](const Open& one) { return one.choices.empty() ? steps_.size() : one.choices[0].step; });
    const auto is_done = [](const Open& one) { return one.item->matched.has_value(); };
    while (!open.empty()) {
      Open& first = open.front();
      if (std::ranges::any_of(open, [&](Open& one) { return take_inherited(one, false); }) ||
          take_inherited(first, true)) {
        std::erase_if(open, is_done);
        continue;
      }
      take_nearest(first, open);
      open.erase(open.begin());
    }
  }

  /// How the tensor is what the step makes of these operands; none where it is not.
  std::optional<Laid> following(const Observed& theirs, const Tensor& step, const PortOperands& operands) {
    const auto remade = operands.empty() ? std::nullopt : operands.remade(step);
    return remade && remade->id() != step.id() ? right_.holding(theirs, *remade) : std::nullopt;
  }

  bool take_inherited(Open& one, bool may_be_any_slice) {
    const auto is_it = [&](std::size_t step) {
      std::optional<Laid> laid = following(*one.item->theirs, tensor(step), operands_);
      if (!laid || !(may_be_any_slice || laid->cells.empty() || laid->is_named)) {
        return false;
      }
      take(*one.item, step, std::move(laid), false);
      one.item->matched->is_inherited = true;
      return true;
    };
    return std::ranges::any_of(one.choices, is_it, &Choice::step);
  }

  /// Returns true if the tensor is what a later step makes of another one at this step.
  bool follows(const Open& one, std::size_t step, const Laid& laid) {
    PortOperands operands = operands_;
    operands.add(tensor(step), laid);
    const auto is_it = [&](std::size_t later) {
      return later > step && following(*one.item->theirs, tensor(later), operands);
    };
    return std::ranges::any_of(one.choices, is_it, &Choice::step);
  }

  void take_nearest(Open& one, std::span<const Open> open) {
    constexpr double unlike = 0.9;  ///< a loose name and such numbers prove nothing
    Item& item = *one.item;
    const auto is_free = [&](const Choice& choice) {
      return !((is_taken(choice.step) || is_shown(choice.step)) && choice.laid.cells.empty()) &&
             !(item.by == Matched::By::habit && is_named_[choice.step]);
    };
    std::stable_partition(one.choices.begin(), one.choices.end(), is_free);
    const auto is_followed = [&](const Choice& choice) {
      return std::ranges::any_of(
          open, [&](const Open& other) { return other.item != &item && follows(other, choice.step, choice.laid); });
    };
    // Scores may be those before a line or after it: those that another tensor follows from.
    const auto followed = std::ranges::find_if(one.choices, [&](const Choice& choice) {
      return one.choices.size() > 1 && is_free(choice) && is_token_by_token(tensor(choice.step)) && is_followed(choice);
    });
    const auto best = followed != one.choices.end() ? followed : one.choices.begin();
    if (best == one.choices.end()) {
      item.is_certain && !item.candidates.empty() ? take(item, item.candidates[0], std::nullopt, false) : void();
    } else if (item.is_certain || best->distance < unlike) {
      take(item, best->step, std::move(best->laid), false);
    }
  }

  Matching result() {
    Matching matching;
    std::set<std::size_t> found;
    for (Item& item : items_) {
      if (item.matched) {
        found.insert(item.given);
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

  std::span<const Observed> dumped_;
  std::span<const Step> steps_;
  Right& right_;
  Parts& parts_;
  std::vector<Item> items_;
  std::optional<std::size_t> result_;  ///< the step that projects the contexts
  std::vector<int> holders_;           ///< how many tensors each step has
  std::vector<bool> is_right_;         ///< steps of which a tensor is right
  std::vector<bool> is_named_;         ///< steps that a tensor is by its exact name
  std::set<std::size_t> undecided_;
  PortOperands operands_;
};

}  // namespace

Matching match(std::span<const Observed> dumped, const Way& way, const Names& names, Right& right, Parts& parts) {
  return Matcher(dumped, way, right, parts).run(names);
}

}  // namespace attn::verify
