#include "verify/port/judge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"
#include "walk/mistakes.hpp"

namespace attn::verify {
namespace {

// ---- Names ----------------------------------------------------------------------------------------

/// A tensor that needs a step.
struct Item {
  std::size_t given;
  const Observed* theirs;
  Matched::By by;
  std::vector<std::size_t> candidates;  ///< steps, the likeliest first
  std::size_t own = 0;                  ///< how many of them the name itself says; the rest are other forms of these
  bool is_final = false;
  bool is_certain = true;
  std::string reading = {};  ///< how `theirs` is read, if not as it is dumped
  std::optional<Matched> matched = {};
};

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

std::string without_digits(const std::string& name) {
  std::string result = plain_name(name);
  std::erase_if(result, [](char c) { return text::is_digit(c) || c == '_'; });
  return result;
}

/// Other tensors that a step's own name may mean: the same numbers in another form, or at an earlier stage.
struct Forms {
  std::string_view name;
  std::array<std::string_view, 3> others;
};
constexpr std::array<Forms, 10> forms = {{{"queries_heads", {"scaled_queries_heads"}},
                                          {"keys_heads", {"scaled_keys_heads"}},
                                          {"queries", {"queries_heads", "scaled_queries", "scaled_queries_heads"}},
                                          {"keys", {"keys_heads", "scaled_keys", "scaled_keys_heads"}},
                                          {"values", {"values_heads"}},
                                          {"attn_scores", {"scaled_attn_scores", "masked_attn_scores"}},
                                          {"masked_attn_scores", {"scaled_attn_scores"}},
                                          {"mask", {"mask_simple"}},
                                          {"inputs", {"batch"}},
                                          {"batch", {"inputs"}}}};

/// Throws NameError for a name that none of these has.
template <class Range, class NameOf>
[[noreturn]] void throw_unknown(const std::string& what, const std::string& name, const Range& all, NameOf name_of) {
  std::vector<std::string> known;
  std::ranges::transform(all, std::back_inserter(known), name_of);
  const std::string near = text::nearest(name, known);
  throw NameError("--map: " + what + " '" + name + "'; accepted are " + text::one_line(text::joined(known)) +
                  (near.empty() ? "" : "; try " + near));
}

/// Finds which steps each of a dump's tensors may be by its name: one given by --map, the steps' own, or one that
/// programs use. Splits fused tensors into `parts`, in the way that makes most of them right. Throws NameError.
class Reader {
 public:
  Reader(std::span<const Observed> dumped, std::span<const Step> steps, Right& right, Parts& parts)
      : dumped_(dumped), steps_(steps), right_(right), parts_(parts) {}

  std::vector<Item> run(const Names& names) {
    add_mapped(names);
    for (std::size_t i = 0; i < dumped_.size(); ++i) {
      if (!names.contains(dumped_[i].name)) {
        add(i);
      }
    }
    std::ranges::for_each(items_, [this](Item& item) { contest(item); });
    doubt_numbered();
    return std::move(items_);
  }

 private:
  /// A step's own name may mean another step if another tensor's name leads to this step first: fairseq's attn_weights
  /// and attn_probs.
  void contest(Item& item) {
    const auto leads_there = [&](const Item& other) {
      return other.by == Matched::By::habit && !other.candidates.empty() && other.candidates[0] == item.candidates[0];
    };
    if (item.by == Matched::By::name && item.own == 1 && std::ranges::any_of(items_, leads_there)) {
      const Step& step = steps_[item.candidates[0]];
      const Meant meant = meant_by(step.name);
      for (const std::string& name : meant.is_certain ? meant.steps : std::vector<std::string>()) {
        append(item.candidates, called({step.section, name}));
      }
      item.by = Matched::By::habit;
      item.is_final = meant.is_final;
      item.own = item.candidates.size();
    }
  }

  /// "dense", "dense_1" and "dense_2" do not say whose weights they are.
  void doubt_numbered() {
    std::map<std::pair<std::string, std::vector<std::size_t>>, std::vector<Item*>> alike;
    for (Item& item : items_) {
      if (item.by == Matched::By::habit && !item.candidates.empty() &&
          steps_[item.candidates[0]].tensor->operation().is_parameter()) {
        alike[{without_digits(item.theirs->name), item.candidates}].push_back(&item);
      }
    }
    std::erase_if(alike, [](const auto& one) { return one.second.size() == 1; });
    for (const auto& [name, items] : alike) {
      for (Item* const item : items) {
        item->candidates.clear();
        item->by = Matched::By::numbers;
      }
    }
  }

  void add_mapped(const Names& names) {
    std::map<std::size_t, std::string> owners;
    for (const auto& [theirs, ours] : names) {
      const auto found = std::ranges::find(dumped_, theirs, &Observed::name);
      if (found == dumped_.end()) {
        throw_unknown("the dump has no tensor", theirs, dumped_, &Observed::name);
      }
      std::vector<std::size_t> candidates = called(parted(ours));
      if (candidates.empty()) {
        throw_unknown("the chapter has no step", ours, steps_, full_name);
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
    const Observed& theirs = dumped_[given];
    Item item{given, &theirs, Matched::By::name, called(parted(theirs.name))};
    item.own = item.candidates.size();
    if (!item.candidates.empty()) {
      const auto form = std::ranges::find(forms, std::string_view(steps_[item.candidates[0]].name), &Forms::name);
      const std::string section = steps_[item.candidates[0]].section;
      for (std::size_t i = 0; form != forms.end() && i < form->others.size(); ++i) {
        append(item.candidates, section, std::string(form->others[i]));
      }
      items_.push_back(std::move(item));
      return;
    }
    const Meant meant = meant_by(theirs.name);
    if (!meant.parts.empty() && add_parts(given, meant, true)) {
      return;
    }
    item.by = Matched::By::habit;
    item.is_certain = meant.is_certain;
    item.is_final = meant.is_final;
    // "?attn_scores": where the chapter has not what the name means first.
    const std::string first = meant.steps.empty() ? "" : meant.steps[0];
    const bool has_first = !called({"", first}).empty() || !called({"", first + "_heads"}).empty();
    for (const std::string& word : meant.steps) {
      const bool is_instead = word.starts_with('?');
      if (is_instead && has_first) {
        continue;
      }
      const std::string name = word.substr(is_instead ? 1 : 0);
      const std::vector<std::size_t> in_section = called({meant.section, name});
      append(item.candidates, meant.section.empty() || in_section.empty() ? called({"", name}) : in_section);
    }
    const auto fits = [&](std::size_t step) { return right_.has_layout(theirs, *steps_[step].tensor); };
    if (meant.parts.empty() && std::ranges::none_of(item.candidates, fits) &&
        add_parts(given, fused_, !item.candidates.empty())) {
      return;
    }
    item.own = item.candidates.size();
    item.by = item.candidates.empty() ? Matched::By::numbers : item.by;
    if (std::ranges::find(meant.steps, "attn_scores") != meant.steps.end()) {  // "scores", used again for the weights
      append(item.candidates, meant.section, "attn_weights");
    }
    items_.push_back(std::move(item));
  }

  static void append(std::vector<std::size_t>& all, const std::vector<std::size_t>& more) {
    std::ranges::copy_if(more, std::back_inserter(all),
                         [&](std::size_t one) { return std::ranges::find(all, one) == all.end(); });
  }

  /// Adds the steps of this name, those of the section first.
  void append(std::vector<std::size_t>& all, const std::string& section, const std::string& name) const {
    append(all, called({section, name}));
    append(all, called({"", name}));
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

  /// Splits a fused tensor, in the way that makes most parts right; each part is an item. Returns false where it
  /// cannot, or where not all parts are right of one that nothing but its numbers calls fused.
  bool add_parts(std::size_t given, const Meant& meant, bool is_named) {
    std::vector<Item> best;
    std::vector<Observed> parts_of_best;
    std::size_t most = 0;  // of parts that are right
    for (const std::vector<std::string>& names : meant.parts) {
      std::vector<Item> items;
      std::vector<std::int64_t> sizes;
      for (const std::string& name : names) {
        if (const std::vector<std::size_t> steps = called({meant.section, name}); !steps.empty()) {
          items.push_back({given, nullptr, Matched::By::habit, {steps[0]}, 1});
          sizes.push_back(element_count(steps_[steps[0]].tensor->shape()));
        }
      }
      if (items.size() != names.size()) {
        continue;
      }
      for (std::vector<Observed>& parts : taken_apart(dumped_[given], sizes, right_.heads())) {
        std::size_t good = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          good += right_.holding(parts[i], *steps_[items[i].candidates[0]].tensor) ? 1U : 0U;
        }
        if (best.empty() || good > most) {
          most = good;
          best = items;
          parts_of_best = std::move(parts);
        }
      }
    }
    if (best.empty() || (!is_named && most < best.size())) {
      return false;
    }
    for (std::size_t i = 0; i < best.size(); ++i) {
      best[i].theirs = &parts_.emplace_back(std::move(parts_of_best[i]));
      items_.push_back(std::move(best[i]));
    }
    return true;
  }

  std::span<const Observed> dumped_;
  std::span<const Step> steps_;
  Right& right_;
  Parts& parts_;
  const Meant fused_ = meant_by("qkv");
  std::vector<Item> items_;
};

// ---- Steps ----------------------------------------------------------------------------------------

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
    items_ = Reader(dumped_, steps_, right_, parts_).run(names);
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
    const std::vector<std::size_t> steps = allowed(item);
    std::vector<Choice> choices;
    for (std::size_t rank = 0; rank < steps.size(); ++rank) {
      const std::size_t step = steps[rank];
      if (std::optional<Laid> laid = right_.nearest(*item.theirs, tensor(step))) {
        const auto place = std::ranges::find(item.candidates, step) - item.candidates.begin();
        const bool is_own = place < static_cast<std::ptrdiff_t>(item.own);
        const double far = right_.distance(*laid, tensor(step)) + less_likely * static_cast<double>(rank) +
                           (is_own ? 0 : another_form) +
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
