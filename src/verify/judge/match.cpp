#include "verify/judge/match.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"
#include "verify/propose/names.hpp"

namespace attn::port {
namespace {

// ---- Names ----------------------------------------------------------------------------------------

struct Name {
  std::string section;
  std::string own;
};

/// "head_1/attn_scores" has a section, "attn_scores" none.
Name parted(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? Name{"", plain_name(name)}
                                         : Name{plain_name(name.substr(0, slash)), plain_name(name.substr(slash + 1))};
}

bool is_named(const Step& step, const Name& name) {
  return plain_name(name.own) == plain_name(step.name) &&
         (name.section.empty() || name.section == plain_name(step.section));
}

/// What a step's own name may be the name of besides: the same numbers in another form, or as far as the program has
/// made them.
struct Form {
  std::string_view name;
  std::array<std::string_view, 3> others;
};
constexpr std::array<Form, 10> forms = {{{"queries_heads", {"scaled_queries_heads"}},
                                         {"keys_heads", {"scaled_keys_heads"}},
                                         {"queries", {"queries_heads", "scaled_queries", "scaled_queries_heads"}},
                                         {"keys", {"keys_heads", "scaled_keys", "scaled_keys_heads"}},
                                         {"values", {"values_heads"}},
                                         {"attn_scores", {"scaled_attn_scores", "masked_attn_scores"}},
                                         {"masked_attn_scores", {"scaled_attn_scores"}},
                                         {"mask", {"mask_simple"}},
                                         {"inputs", {"batch"}},
                                         {"batch", {"inputs"}}}};

// ---- Items ----------------------------------------------------------------------------------------

/// A tensor to find a step for.
struct Item {
  std::size_t given;
  const dump::Dumped* theirs;
  Matched::By by;
  std::vector<std::size_t> candidates;  ///< steps, the likeliest first
  std::size_t own = 0;                  ///< so many of them are what the name says; the rest are its forms
  bool is_final = false;
  bool is_certain = true;
  std::optional<Matched> matched = {};
};

/// Numbers that few tensors have.
bool says_something(const dump::Dumped& dumped) {
  const auto is_telling = [](double value) { return value != 0 && value != 1 && std::isfinite(value); };
  return dumped.values.size() > 2 && std::ranges::any_of(dumped.values, is_telling) &&
         std::ranges::any_of(dumped.values, [&](double value) { return value != dumped.values[0]; });
}

/// How unlike the right numbers are, from 0 to 1.
double distance(const Laid& theirs, const std::vector<double>& right) {
  double sum = 0;
  const auto add = [&](std::size_t i) {
    const double a = theirs.values[i];
    const double b = right[i];
    const bool are_numbers = std::isfinite(a) && std::isfinite(b);
    sum += a == b         ? 0
           : !are_numbers ? 1
                          : std::abs(a - b) / (std::abs(a) + std::abs(b) + std::numeric_limits<double>::min());
  };
  if (theirs.cells.empty()) {
    for (std::size_t i = 0; i < right.size(); ++i) {
      add(i);
    }
    return right.empty() ? 0 : sum / static_cast<double>(right.size());
  }
  std::ranges::for_each(theirs.cells, [&](std::int64_t cell) { add(static_cast<std::size_t>(cell)); });
  return sum / static_cast<double>(theirs.cells.size());
}

[[noreturn]] void throw_no_tensor(const std::string& name, std::span<const dump::Dumped> dumped) {
  std::vector<std::string> names;
  for (const dump::Dumped& one : dumped) {
    names.push_back(one.name);
  }
  const std::string near = text::nearest(name, names);
  throw NameError("--map: the dump has no tensor '" + name + "'; accepted are its names" +
                  (near.empty() ? ", such as " + names.front() : "; try " + near));
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
    add_mapped(names);
    for (std::size_t i = 0; i < dumped_.size(); ++i) {
      if (!names.contains(dumped_[i].name)) {
        add(i);
      }
    }
    for (const Item& item : items_) {
      if (item.by <= Matched::By::name && item.own == 1) {
        is_named_[item.candidates[0]] = true;
      }
    }
    std::ranges::stable_sort(items_, {}, &Item::by);
    std::ranges::for_each(items_, [this](Item& item) { take_right(item); });
    check_final();
    std::ranges::for_each(items_, [this](Item& item) { take_by_numbers(item); });
    take_wrong();
    return result();
  }

 private:
  const Tensor& tensor(std::size_t step) const { return *steps_[step].tensor; }
  bool is_taken(std::size_t step) const { return holders_[step] > 0; }

  // ---- What names say

  void add_mapped(const Names& names) {
    std::map<std::size_t, std::string> owners;
    for (const auto& [theirs, ours] : names) {
      const auto found = std::ranges::find(dumped_, theirs, &dump::Dumped::name);
      if (found == dumped_.end()) {
        throw_no_tensor(theirs, dumped_);
      }
      std::vector<std::size_t> candidates = called(parted(ours));
      if (candidates.empty()) {
        throw_no_step(ours);
      }
      if (candidates.size() == 1) {
        const auto [owner, is_new] = owners.emplace(candidates[0], theirs);
        if (!is_new) {
          throw NameError("--map: '" + owner->second + "' and '" + theirs + "' are both to be " + ours +
                          "; accepted is one tensor for each step; leave one of them out");
        }
      }
      const std::size_t own = candidates.size();
      items_.push_back(
          {static_cast<std::size_t>(found - dumped_.begin()), &*found, Matched::By::map, std::move(candidates), own});
    }
  }

  void add(std::size_t given) {
    const dump::Dumped& theirs = dumped_[given];
    Item item{given, &theirs, Matched::By::name, called(parted(theirs.name))};
    item.own = item.candidates.size();
    if (!item.candidates.empty()) {
      const auto form = std::ranges::find(forms, std::string_view(steps_[item.candidates[0]].name), &Form::name);
      for (std::size_t i = 0; form != forms.end() && i < form->others.size() && !form->others[i].empty(); ++i) {
        append(item.candidates, called({steps_[item.candidates[0]].section, std::string(form->others[i])}));
        append(item.candidates, called({"", std::string(form->others[i])}));
      }
      items_.push_back(std::move(item));
      return;
    }
    const Meant meant = meant_by(theirs.name);
    if (!meant.parts.empty() && add_parts(given, meant)) {
      return;
    }
    item.by = Matched::By::habit;
    item.is_certain = meant.is_certain;
    item.is_final = meant.is_final;
    for (const std::string& word : meant.steps) {
      // "?attn_scores": where the chapter has not what the name means first.
      const bool is_instead = word.starts_with('?');
      if (is_instead && !called({"", meant.steps[0]}).empty()) {
        continue;
      }
      const std::string name = word.substr(is_instead ? 1 : 0);
      const std::vector<std::size_t> in_section = called({meant.section, name});
      append(item.candidates, meant.section.empty() || in_section.empty() ? called({"", name}) : in_section);
    }
    item.own = item.candidates.size();
    item.by = item.candidates.empty() ? Matched::By::numbers : item.by;
    items_.push_back(std::move(item));
  }

  static void append(std::vector<std::size_t>& all, const std::vector<std::size_t>& more) {
    for (const std::size_t one : more) {
      if (std::ranges::find(all, one) == all.end()) {
        all.push_back(one);
      }
    }
  }

  std::vector<std::size_t> called(const Name& name) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (is_named(steps_[i], name)) {
        found.push_back(i);
      }
    }
    return found;
  }

  [[noreturn]] void throw_no_step(const std::string& name) const {
    std::vector<std::string> names;
    for (const Step& step : steps_) {
      names.push_back(full_name(step));
    }
    const std::string near = text::nearest(name, names);
    throw NameError("--map: the chapter has no step '" + name + "'; accepted are " + text::joined(names) +
                    (near.empty() ? "" : "; try " + near));
  }

  /// A fused tensor's parts, each an item of its own: those of the way in which most of them are right.
  bool add_parts(std::size_t given, const Meant& meant) {
    std::vector<dump::Dumped> best;
    std::vector<std::size_t> steps_of_best;
    std::size_t most = 0;
    for (const std::vector<std::string>& names : meant.parts) {
      std::vector<std::size_t> steps;
      std::vector<std::int64_t> sizes;
      for (const std::string& name : names) {
        const std::vector<std::size_t> found = called({meant.section, name});
        if (!found.empty()) {
          steps.push_back(found[0]);
          sizes.push_back(element_count(tensor(found[0]).shape()));
        }
      }
      if (steps.size() != names.size()) {
        continue;
      }
      take_apart(dumped_[given], sizes, right_.heads(), [&](std::vector<dump::Dumped>&& parts) {
        std::size_t right = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          right += right_.holding(parts[i], tensor(steps[i])) ? 1U : 0U;
        }
        if (best.empty() || right > most) {
          most = right;
          best = std::move(parts);
          steps_of_best = steps;
        }
        return most == steps.size();
      });
    }
    for (std::size_t i = 0; i < best.size(); ++i) {
      parts_.push_back(std::move(best[i]));
      items_.push_back({given, &parts_.back(), Matched::By::habit, {steps_of_best[i]}, 1});
    }
    return !best.empty();
  }

  // ---- What numbers say

  void take(Item& item, std::size_t step, std::optional<Laid> laid, bool is_right) {
    item.matched = Matched{item.given, item.theirs, &steps_[step], item.by, std::move(laid), is_right};
    ++holders_[step];
    if (!is_right && item.matched->laid && right_holders_.count(step) == 0) {
      operands_.add(tensor(step), item.matched->laid->values);
    }
    if (is_right) {
      right_holders_.insert(step);
    }
  }

  /// Those that shape and name allow: with exactly its shape, where it is of such a shape; of those that nobody has yet
  /// first.
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
    const bool has_shape = std::ranges::any_of(
        item.candidates, [&](std::size_t step) { return right_.nearest(*item.theirs, tensor(step)).has_value(); });
    if (item.matched || item.by < Matched::By::habit || (item.is_certain && has_shape) ||
        !says_something(*item.theirs)) {
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

  /// The step that is made with the last projection, if any.
  std::optional<std::size_t> projected() const {
    const auto projection = std::ranges::find(steps_, std::string("out_proj_weight"), &Step::name);
    for (std::size_t i = 0; projection != steps_.end() && i < steps_.size(); ++i) {
      if (tensor(i).kind() == Kind::linear && tensor(i).operands()[1].id() == projection->tensor->id()) {
        return i;
      }
    }
    return std::nullopt;
  }

  bool may_be(const Item& item, std::size_t step) const {
    return std::ranges::find(item.candidates, step) != item.candidates.end();
  }

  /// Whether nothing that comes after it in the dump may be the layer's result as well, and it has no tensor yet.
  bool is_result(const Item& item) {
    const std::optional<std::size_t> result = projected();
    const auto fits = [&](const Item& one) {
      return one.is_final && may_be(one, *result) && right_.nearest(*one.theirs, tensor(*result));
    };
    return result && !is_taken(*result) && fits(item) &&
           std::ranges::none_of(items_, [&](const Item& other) { return other.given > item.given && fits(other); });
  }

  /// Whether another tensor of this shape has the same numbers, and they are right.
  bool is_double(const Item& item) const {
    return std::ranges::any_of(items_, [&](const Item& other) {
      return &other != &item && other.matched && other.matched->is_right && other.theirs->shape == item.theirs->shape &&
             other.theirs->values == item.theirs->values;
    });
  }

  /// A layer's result whose numbers are those that its projection gets, where another tensor has these, or the port has
  /// a projection and nothing else is called its result: the projection is left out.
  void check_final() {
    const std::optional<std::size_t> result = projected();
    if (!result || is_taken(*result)) {
      return;
    }
    const bool has_projection = std::ranges::any_of(
        items_, [](const Item& item) { return item.matched && item.matched->step->name.starts_with("out_proj"); });
    const bool has_other = std::ranges::any_of(
        items_, [&](const Item& item) { return item.is_final && !item.matched && may_be(item, *result); });
    for (auto last = items_.rbegin(); last != items_.rend(); ++last) {
      Item& item = *last;
      if (!item.matched || !may_be(item, *result) || has_other) {
        continue;
      }
      const auto step = static_cast<std::size_t>(item.matched->step - steps_.data());
      if (is_double(item) || (item.is_final && has_projection)) {
        if (std::optional<Laid> laid = right_.nearest(*item.theirs, tensor(*result))) {
          --holders_[step];
          take(item, *result, std::move(laid), false);
        }
        return;
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
    if (is_result(item)) {
      steps = {*projected()};
    }
    constexpr double less_likely = 0.03;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (std::optional<Laid> laid = right_.nearest(*item.theirs, tensor(steps[i]))) {
        const double far = distance(*laid, right_.values(tensor(steps[i])));
        const bool is_own = std::ranges::find(item.candidates, steps[i]) - item.candidates.begin() <
                            static_cast<std::ptrdiff_t>(item.own);
        const bool is_others = is_taken(steps[i]) || (item.by == Matched::By::habit && is_named_[steps[i]]);
        const bool is_preferred = way_.is_named_scaled && steps_[steps[i]].name.starts_with("scaled_") &&
                                  tensor(steps[i]).kind() == Kind::scaled;
        choices.push_back({steps[i], *std::move(laid), is_preferred ? 0 : far + less_likely * static_cast<double>(i),
                           is_others || !is_own});
      }
    }
    return choices;
  }

  /// Of the port's own operands first, then the nearest one, in the order of the program.
  void take_wrong() {
    struct Open {
      Item* item;
      std::vector<Choice> choices;
    };
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
      const auto next = std::ranges::find_if(open, [&](Open& one) { return take_inherited(one); });
      if (next != open.end()) {
        open.erase(next);
        continue;
      }
      const auto first = std::ranges::min_element(open, {}, first_of);
      take_nearest(*first->item, first->choices);
      open.erase(first);
    }
  }

  template <class Open>
  bool take_inherited(Open& one) {
    for (Choice& choice : one.choices) {
      const auto remade = operands_.empty() ? std::nullopt : operands_.remade(tensor(choice.step));
      if (!remade || remade->id() == tensor(choice.step).id()) {
        continue;
      }
      if (std::optional<Laid> laid = right_.holding(*one.item->theirs, *remade)) {
        take(*one.item, choice.step, std::move(laid), false);
        one.item->matched->is_inherited = true;
        return true;
      }
    }
    return false;
  }

  void take_nearest(Item& item, std::vector<Choice>& choices) {
    constexpr double unlike = 0.9;  ///< a loose name and such numbers say nothing
    const auto best = std::ranges::min_element(
        choices, {}, [](const Choice& choice) { return std::pair(choice.is_taken, choice.distance); });
    if (item.is_certain || best->distance < unlike) {
      take(item, best->step, std::move(best->laid), false);
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

  /// Whether it is what the step makes of all of the port's operands, now that they are known.
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
