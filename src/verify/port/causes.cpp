#include "verify/port/causes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "verify/causes/mistakes.hpp"
#include "verify/port/looks.hpp"
#include "verify/port/sample.hpp"
#include "verify/port/seeds.hpp"
#include "verify/port/solved.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_causes = 3;
/// Pairs of mistakes and other operands are tried as long as what they compute stays below so many numbers.
constexpr std::int64_t most_numbers = 20'000'000;

std::int64_t cells_of(const Laid& laid) {
  return laid.cells.empty() ? std::ssize(laid.values) : std::ssize(laid.cells);
}

/// Mistakes that are not computed in parts are tried as long as their large tensors stay below so many numbers.
constexpr std::int64_t most_whole_numbers = 40'000'000;

/// How many numbers the tensor needs that are large tensors computed at once.
std::int64_t whole_numbers_in(const Tensor& tensor) {
  std::int64_t count = 0;
  std::unordered_set<const void*> seen;
  for_each_source(tensor, seen, [&count](const Tensor& source) {
    Box all = whole_box(source.shape());
    const std::int64_t numbers = element_count(source.shape());
    const bool is_whole = numbers > evaluation().large && !source.operation().needs(source.operands(), all);
    count += is_whole ? numbers : 0;
  });
  return count;
}

/// Looks for what explains one tensor's numbers.
class CauseSearch {
 public:
  CauseSearch(const Matched& matched, std::span<const Step> steps, const PortOperands& operands,
              std::span<const Tensor* const> shown, Right& right)
      : matched_(matched),
        theirs_(*matched.laid),
        step_(*matched.step),
        steps_(steps),
        operands_(operands),
        judge_(right),
        remade_(*operands.remade(*step_.tensor)),
        right_(right.values(remade_)) {
    for (const Tensor* tensor : shown) {
      shown_.insert(tensor->id());
    }
    for (const Step& step : steps) {
      numbers_in_all_ += element_count(step.tensor->shape());
    }
    own_wrong_ = compare(theirs_.values, right_, judge_.tolerance(), theirs_.cells).mismatched;
    if (theirs_.cells.empty()) {
      sample_ = Sample(remade_, own_wrong_);
    }
  }

  std::vector<Cause> run(const Otherwise& otherwise) {
    if (is_drawn() && consumer() == nullptr) {  // else it is a mask
      look_among_steps();
      look_at_draws(otherwise);
    }
    const auto unless_found = [this](const auto& look) { causes_.empty() ? look() : void(); };
    unless_found([&] { claim(arithmetic_of(theirs_, remade_, right_)); });
    unless_found([&] { claim(fill_of(theirs_, *step_.tensor, right_)); });
    unless_found([&] { try_mistakes(); });
    unless_found([&] { try_other_operands(); });
    unless_found([&] { look_among_steps(); });
    unless_found([&] { claim(looks_of(theirs_, *step_.tensor, right_, judge_.heads(), judge_.tolerance())); });
    unless_found([&] { try_solved(); });
    unless_found([&] { claim(patterns_of(theirs_, *step_.tensor, right_)); });
    unless_found([&] { try_pairs(); });
    causes_.resize(std::min(causes_.size(), most_causes));
    return std::move(causes_);
  }

 private:
  std::int64_t cells() const { return cells_of(theirs_); }

  bool explains(const std::vector<double>& numbers) const {
    return numbers.size() == theirs_.values.size() &&
           compare(theirs_.values, numbers, judge_.tolerance(), theirs_.cells).holds();
  }
  /// The same for a tensor: within what its sums may be off by, where its numbers are near.
  bool explains(const Tensor& tensor) {
    if (sample_.refutes(tensor, theirs_.values, judge_.tolerance())) {
      return false;
    }
    std::vector<double> numbers = values_of(tensor);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = std::isnan(numbers[i]) && theirs_.values[i] == 0 ? 0 : numbers[i];  // nan_to_num
    }
    const Comparison plain = compare(theirs_.values, numbers, judge_.tolerance(), theirs_.cells);
    if (plain.holds()) {
      return true;
    }
    Noise noise;
    return plain.is_near() && judge_.tolerance().grows &&
           are_within(noise, theirs_.values, numbers, tensor, plain, judge_.tolerance());
  }

  bool is_drawn() const { return step_.tensor->operands().empty() || step_.tensor->kind() == Kind::parameter; }

  /// Keeps a cause of all cells, unless one of its name is known.
  void claim(std::optional<Cause> cause) {
    if (cause && std::ranges::find(causes_, cause->names, &Cause::names) == causes_.end()) {
      cause->explained = cells();
      causes_.push_back(*std::move(cause));
    }
  }

  // ---- Other steps, other draws

  void look_among_steps() {
    for (const Step& other : steps_) {
      const bool is_other = other.tensor->id() != step_.tensor->id() &&
                            other.tensor->shape() == step_.tensor->shape() &&
                            other.tensor->dtype() == step_.tensor->dtype();
      if (is_other && say_something(theirs_) && !sample_.refutes(*other.tensor, theirs_.values, judge_.tolerance()) &&
          explains(judge_.values(*other.tensor))) {
        claim(Cause{{"other-step"},
                    "these are the numbers of " + full_name(other) +
                        (is_drawn() && consumer() == nullptr ? ": drawn in another order, or mixed up"
                                                             : ": mixed up, or a step is left out"),
                    ""});
        return;
      }
    }
  }

  /// What is drawn otherwise, or with another seed.
  void look_at_draws(const Otherwise& otherwise) {
    if (!causes_.empty() || !say_something(theirs_)) {
      return;
    }
    for (const Variant& variant : otherwise.variants ? otherwise.variants() : std::vector<Variant>{}) {
      const auto same = std::ranges::find_if(variant.steps, [this](const Step& other) {
        return other.kind == Step::Kind::tensor && full_name(other) == full_name(step_);
      });
      if (same != variant.steps.end() && explains(values_of(*same->tensor))) {
        return claim(Cause{{variant.name}, variant.sentence, ""});
      }
    }
    if (const auto seed = seed_of(*matched_.theirs, *step_.tensor, otherwise.draws, judge_)) {
      claim(Cause{{"seed"}, "drawn with seed " + std::to_string(*seed), ""});
    }
  }

  // ---- Mistakes

  using Mistakes = std::vector<const Mistake*>;

  /// The step's tensor of the port's operands, under rules, the first nearest to the leaves, which are kept from what
  /// is shown right; `only` names the one node that they are for. None where they do not fit or change nothing.
  std::optional<Tensor> mistaken(const Mistakes& mistakes, const void* only = nullptr,
                                 std::set<const void*>* nodes = nullptr) const {
    const bool is_mask = is_drawn() && consumer() != nullptr;
    const Tensor& target = is_mask ? *consumer() : *step_.tensor;
    bool any = false;
    std::vector<Rewriter::Rule> rules;
    std::ranges::transform(mistakes, std::back_inserter(rules), &Mistake::rule);
    const Rewriter::Rule rule = in_turn(std::move(rules));
    const auto made =
        (is_mask ? PortOperands() : operands_).remade(target, target, [&](const Tensor& was, const Tensor& is) {
          if (was.id() != target.id() && shown_.contains(was.id())) {
            return was;
          }
          const Tensor result = only == nullptr || was.id() == only ? rule(was, is) : is;
          if (result.id() != is.id()) {
            any = true;
            nodes != nullptr ? void(nodes->insert(was.id())) : void();
          }
          return result;
        });
    if (!made || !any) {
      return std::nullopt;
    }
    return is_mask ? operand_in(*made) : made;
  }

  /// What masks scores with this mask, where the step is one: a wrong mask has no operands that a rule could be about.
  const Tensor* consumer() const {
    for (const Step& step : steps_) {
      if (step.tensor->kind() == Kind::masked && step.tensor->operands()[1].id() == step_.tensor->id()) {
        return &*step.tensor;
      }
    }
    return nullptr;
  }

  std::optional<Tensor> operand_in(const Tensor& made) const {
    const bool has_mask = made.kind() == Kind::masked && made.operands()[1].shape() == step_.tensor->shape();
    return has_mask ? std::optional(made.operands()[1]) : std::nullopt;
  }

  bool explain_by(const std::optional<Tensor>& made) {
    return made && made->shape() == step_.tensor->shape() && !is_like_right(*made) && explains(*made);
  }

  bool is_like_right(const Tensor& made) const {
    constexpr Tolerance exact{0, 0, false};
    return made.shape() == step_.tensor->shape() &&
           (sample_.empty() ? compared_in_parts(right_, made, exact).has_value() : sample_.is_equal(made, right_));
  }

  static bool makes_all_alike(const Mistake& mistake) {
    return mistake.name == "weights-uniform" || mistake.name == "same-slope";
  }

  /// The known mistakes, but those that one slice cannot tell.
  const std::vector<Mistake>& table() {
    if (table_.empty()) {
      table_ = all_mistakes_in(steps_);
      std::erase_if(table_,
                    [this](const Mistake& one) { return !theirs_.cells.empty() && is_of_slices(one, theirs_.words); });
    }
    return table_;
  }

  /// One mistake, wherever it can be made, else at one place alone.
  void try_mistakes() {
    std::vector<std::pair<const Mistake*, const void*>> alone;
    for (const Mistake& mistake : table()) {
      if (!sample_.empty() && !causes_.empty()) {
        return;  // others as likely would take long
      }
      std::set<const void*> nodes;
      const auto made = mistaken({&mistake}, nullptr, &nodes);
      if (!made && nodes.empty()) {
        continue;
      }
      const std::int64_t whole_numbers = made ? whole_numbers_in(*made) : 0;
      whole_numbers_ += whole_numbers;
      if (whole_numbers > 0 && whole_numbers_ > most_whole_numbers) {
        judge_.leave_out(mistake.name);
        continue;
      }
      const bool is_other = made && !is_like_right(*made);
      if (is_other && explain_by(made) && (say_something(theirs_) || makes_all_alike(mistake))) {
        claim(cause_of({&mistake}));
      }
      if (!made || is_other) {
        effective_.push_back(&mistake);
      }
      if (nodes.size() > 1 && !mistake.name.ends_with("-after-softmax")) {  // moved: at both places
        std::ranges::for_each(nodes, [&](const void* node) { alone.emplace_back(&mistake, node); });
      }
    }
    if (causes_.size() > 1 && !is_after_softmax()) {  // what would come after it is not seen here
      std::erase_if(causes_, [](const Cause& cause) { return cause.names[0].ends_with("-after-softmax"); });
    }
    for (const auto& [mistake, node] : alone) {
      if (causes_.empty() && explain_by(mistaken({mistake}, node))) {
        Cause cause = cause_of({mistake});
        const auto step = std::ranges::find_if(steps_, [id = node](const Step& one) { return one.tensor->id() == id; });
        cause.sentence += step == steps_.end() ? ", at one place alone" : ", in " + full_name(*step) + " alone";
        claim(std::move(cause));
      }
    }
  }

  bool is_after_softmax() const {
    std::set<const void*> above{step_.tensor->id()};
    add_above(*step_.tensor, above);
    return step_.tensor->kind() == Kind::softmax || std::ranges::any_of(steps_, [&](const Step& one) {
             return one.tensor->kind() == Kind::softmax && above.contains(one.tensor->id());
           });
  }

  void try_pairs() {
    std::int64_t computed = 0;
    for (std::size_t i = 0; i < effective_.size() && causes_.empty() && say_something(theirs_); ++i) {
      for (std::size_t j = i + 1; j < effective_.size(); ++j) {
        if (effective_[i]->name == effective_[j]->name) {
          continue;
        }
        for (const Mistakes& pair : {Mistakes{effective_[i], effective_[j]}, Mistakes{effective_[j], effective_[i]}}) {
          computed += numbers_in_all_;
          if (computed > most_numbers || causes_.size() == most_causes) {
            return;
          }
          if (explain_by(mistaken(pair))) {
            claim(cause_of(pair));
            break;
          }
        }
      }
    }
  }

  static Cause cause_of(const Mistakes& mistakes) {
    Cause cause;
    for (const Mistake* mistake : mistakes) {
      cause.names.push_back(mistake->name);
      cause.sentence += (cause.sentence.empty() ? "" : "; and ") + mistake->sentence;
      cause.instead += (cause.instead.empty() ? "" : "; and ") + mistake->instead;
    }
    return cause;
  }

  // ---- Other operands

  /// Another step's numbers where one belongs that the step is made of.
  void try_other_operands() {
    std::set<const void*> above;
    add_above(*step_.tensor, above);
    std::int64_t computed = 0;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      const Step& operand = *step;
      if (operand.tensor->id() == step_.tensor->id() || !above.contains(operand.tensor->id())) {
        continue;
      }
      for (const Step& other : steps_) {
        const bool fits = other.tensor->id() != operand.tensor->id() && other.name != operand.name && &other < &step_ &&
                          other.tensor->shape() == operand.tensor->shape() &&
                          other.tensor->dtype() == operand.tensor->dtype();
        computed += fits ? numbers_in_all_ : 0;
        if (!fits || computed > most_numbers || !causes_.empty()) {
          continue;
        }
        PortOperands otherwise = operands_;
        otherwise.put(*operand.tensor, operands_.remade(*other.tensor, *step_.tensor).value_or(*other.tensor));
        const auto made = otherwise.remade(*step_.tensor, *step_.tensor);
        if (explain_by(made)) {
          claim(Cause{{"other-operand"}, other_operand_words(operand, other), ""});
        }
      }
    }
  }

  static std::string other_operand_words(const Step& operand, const Step& other) {
    const bool is_unscaled =
        operand.tensor->kind() == Kind::scaled && operand.tensor->operands()[0].id() == other.tensor->id();
    return (is_unscaled                       ? "the scores are not divided by the square root of the keys' dimension: "
            : operand.name.ends_with("_bias") ? "the bias is another's: "
                                              : "") +
           full_name(other) + " stands where " + full_name(operand) + " belongs";
  }

  /// What the tensor is made of, as far as what is shown right, and this too: the tensor may be made of something else.
  void add_above(const Tensor& tensor, std::set<const void*>& above) const {
    for (const Tensor& operand : tensor.operands()) {
      if (above.insert(operand.id()).second && !shown_.contains(operand.id())) {
        add_above(operand, above);
      }
    }
  }

  /// A divisor or a mask that the port's own numbers tell.
  void try_solved() {
    for (const Mistake& mistake : solved_mistakes(theirs_, *step_.tensor, operands_)) {
      if (explain_by(operands_.remade(*step_.tensor, *step_.tensor, mistake.rule))) {
        return claim(cause_of({&mistake}));
      }
    }
    const bool is_mask = step_.tensor->dtype() == DType::boolean && step_.tensor->dim() >= 2 && consumer() != nullptr;
    if (is_mask && theirs_.cells.empty()) {
      const std::vector<bool> hidden(theirs_.values.begin(), theirs_.values.end());
      claim(Cause{{"another-mask"}, mask_words(hidden, {right_.begin(), right_.end()}, step_.tensor->shape()), ""});
    }
  }

  const Matched& matched_;
  const Laid& theirs_;
  const Step& step_;
  std::span<const Step> steps_;
  const PortOperands& operands_;
  Right& judge_;
  Tensor remade_;                ///< what the step makes of the port's operands
  SharedNumbers right_;          ///< its numbers
  std::set<const void*> shown_;  ///< tensors that the port has right
  std::vector<std::int64_t> own_wrong_;
  Sample sample_;
  std::int64_t numbers_in_all_ = 0;
  std::int64_t whole_numbers_ = 0;
  std::vector<Mistake> table_;
  Mistakes effective_;  ///< those of the table that change something here
  std::vector<Cause> causes_;
};

}  // namespace

bool are_claimed(const std::vector<Cause>& causes, const Laid& theirs) {
  return !causes.empty() && causes[0].explained == cells_of(theirs);
}

std::vector<Cause> causes_of(const Matched& matched, std::span<const Step> steps, const PortOperands& operands,
                             std::span<const Tensor* const> shown, Right& right, const Otherwise& otherwise) {
  std::vector<Cause> causes = CauseSearch(matched, steps, operands, shown, right).run(otherwise);
  if (causes.empty() && operands.have_following()) {
    causes = CauseSearch(matched, steps, operands.sources(), shown, right).run(otherwise);
  }
  return causes;
}

}  // namespace attn::verify
