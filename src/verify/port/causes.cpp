#include "verify/port/judge.hpp"

#include <cmath>
#include <iterator>
#include <variant>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/causes/mistakes.hpp"
#include "walk/mistakes.hpp"

namespace attn::verify {
namespace {

/// What numbers may be off by that are the right ones in another place, or made of them.
constexpr Tolerance near_enough = {1e-5, 1e-7, false};

bool is_near(double theirs, double made) { return is_held(theirs, made, near_enough); }

/// Returns true if each number is near the other, or both are nan.
bool are_alike(const std::vector<double>& a, const std::vector<double>& b) { return std::ranges::equal(a, b, is_near); }

bool are_all(const std::vector<double>& numbers, double value) {
  return std::ranges::count(numbers, value) == std::ssize(numbers);
}

/// Returns true if a format with this many significant bits has the number.
bool has_bits(double value, int bits) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return !std::isfinite(value) || scaled == std::nearbyint(scaled);
}

std::string number_words(double value) { return text::shortest_text(static_cast<float>(value)); }

/// The words for the axes, such as "head"; the last is columns.
std::vector<std::string> axis_words(std::size_t dim) {
  const std::vector<std::string> words{"entry of the batch", "head", "token", "column"};
  return dim >= 4   ? words
         : dim == 3 ? std::vector<std::string>{words[0], words[2], words[3]}
         : dim == 2 ? std::vector<std::string>{"row", words[3]}
                    : std::vector<std::string>{words[3]};
}

/// A port's numbers beside the step's result for the port's own operands.
struct Beside {
  Beside(const Laid& laid, const Tensor& step, const SharedNumbers& all_right);

  Shape shape;  ///< of a whole tensor, or of one head or batch entry of it; empty if they are no such block
  std::vector<double> theirs;
  std::vector<double> right;

  bool are_nan() const {
    return std::ranges::all_of(theirs, [](double value) { return std::isnan(value); });
  }
  /// Returns true if not all of the port's numbers are alike: those could be anybody's.
  bool says_something() const { return !are_nan() && !are_all(theirs, theirs[0]); }
};

Beside::Beside(const Laid& laid, const Tensor& step, const SharedNumbers& all_right)
    : shape(step.dtype() == DType::float32 ? step.shape() : Shape()), theirs(laid.values), right(all_right) {
  if (laid.cells.empty()) {
    return;
  }
  std::vector<std::set<std::int64_t>> places(shape.size());
  theirs.clear();
  right.clear();
  for (const std::int64_t cell : laid.cells) {
    const Shape index = index_at(cell, step.shape());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      places[axis].insert(index[axis]);
    }
    theirs.push_back(laid.values[at(cell)]);
    right.push_back(all_right[at(cell)]);
  }
  std::ranges::transform(places, shape.begin(), [](const auto& axis) { return std::ssize(axis); });
  shape = element_count(shape) == std::ssize(theirs) ? shape : Shape();
}

// ---- Slices ---------------------------------------------------------------------------------------

/// The numbers of each slice along an axis.
std::vector<std::vector<double>> slices_of(const std::vector<double>& numbers, const Shape& shape, std::size_t axis) {
  const std::size_t inner = at(row_major_strides(shape)[axis]);
  std::vector<std::vector<double>> slices(at(shape[axis]));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    slices[i / inner % slices.size()].push_back(numbers[i]);
  }
  return slices;
}

/// Finds the right slice that each slice along an axis equals, `count` for one of zeros; none if a slice is neither, or
/// all are in place.
std::optional<std::vector<std::size_t>> places_along(std::size_t axis, const Shape& shape, const Beside& beside) {
  const std::vector<std::vector<double>> right = slices_of(beside.right, shape, axis);
  std::vector<std::size_t> found;
  bool are_own = true;
  for (const std::vector<double>& slice : slices_of(beside.theirs, shape, axis)) {
    const std::size_t own = found.size();
    const bool is_own = are_alike(slice, right[own]);
    const auto other = is_own || are_all(slice, slice[0])
                           ? right.end()
                           : std::ranges::find_if(right, [&](const auto& one) { return are_alike(slice, one); });
    found.push_back(is_own ? own : static_cast<std::size_t>(other - right.begin()));
    if (!is_own && other == right.end() && !are_all(slice, 0)) {
      return std::nullopt;
    }
    are_own = are_own && is_own;
  }
  return are_own ? std::nullopt : std::optional(found);
}

/// "in place of each head in turn stand 1, 0, zeros"
std::string slices_sentence(const std::string& what, const std::vector<std::size_t>& slices) {
  std::vector<std::string> order;
  std::ranges::transform(slices, std::back_inserter(order),
                         [&](std::size_t slice) { return slice == slices.size() ? "zeros" : std::to_string(slice); });
  return "in place of each " + what + " in turn stand " + text::joined(order);
}

std::optional<Cause> mixed_up_slices(const Beside& beside, std::int64_t heads) {
  const Shape& shape = beside.shape;
  if (heads > 1 && shape.size() == 3 && shape[2] % heads == 0 && shape[2] > heads) {
    if (const auto places = places_along(2, {shape[0], shape[1], heads, shape[2] / heads}, beside)) {
      return Cause{"heads-mixed-up", slices_sentence("head", *places)};
    }
  }
  const std::vector<std::string> words = axis_words(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (const auto places = shape[axis] > 1 ? places_along(axis, shape, beside) : std::nullopt) {
      const std::string plural = words[axis] == "entry of the batch" ? "batch" : words[axis] + "s";
      return Cause{plural + "-mixed-up", slices_sentence(words[axis], *places)};
    }
  }
  return std::nullopt;
}

/// The right numbers in other places.
std::optional<Cause> reordered(const Beside& beside) {
  constexpr std::size_t fewest = 6;  // different numbers
  std::vector<double> theirs = beside.theirs;
  std::vector<double> right = beside.right;
  if (std::ranges::any_of(theirs, [](double value) { return std::isnan(value); })) {
    return std::nullopt;
  }
  std::ranges::sort(theirs);
  std::ranges::sort(right);
  if (!are_alike(theirs, right) || std::set(right.begin(), right.end()).size() < fewest) {
    return std::nullopt;
  }
  return Cause{"reordered",
               "these are the right numbers in other places: reshaped, or transposed, in another order of axes"};
}

// ---- One number for each group --------------------------------------------------------------------

/// The numbers that one number changes: all, or those of a row, of a column, of an entry of an axis.
struct Grouping {
  std::string name;  ///< "row"; empty for all
  std::size_t inner;
  std::size_t count;

  std::size_t of(std::size_t cell) const { return cell / inner % count; }
};

/// What each group is multiplied with, or what is added to it, if that makes theirs of the right numbers. None unless
/// the numbers are many more than the groups.
std::optional<std::vector<double>> change_of(const Beside& beside, const Grouping& grouping, bool is_factor) {
  const std::vector<double>& right = beside.right;
  const auto says = [&](std::size_t i) { return std::isfinite(right[i]) && (!is_factor || right[i] != 0); };
  std::vector<double> greatest(grouping.count);
  std::vector<double> changes(grouping.count, is_factor ? 1 : 0);  // told by the cell with the greatest number
  std::set<std::size_t> groups;
  std::size_t informative = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const std::size_t group = grouping.of(i);
    informative += says(i) ? 1U : 0U;
    if (says(i) && (groups.insert(group).second || std::abs(right[i]) > greatest[group])) {
      greatest[group] = std::abs(right[i]);
      changes[group] = is_factor ? beside.theirs[i] / right[i] : beside.theirs[i] - right[i];
    }
  }
  constexpr std::size_t fewest = 2;  // cells that could be otherwise
  const auto is_finite = [](double change) { return std::isfinite(change); };
  if (!std::ranges::all_of(changes, is_finite) || informative < groups.size() + std::max(groups.size(), fewest)) {
    return std::nullopt;
  }
  const auto [least, most] = std::ranges::minmax(changes);
  const double rounding = is_factor ? 0 : 1e-4 * std::max(most, -least);
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double change = changes[grouping.of(i)];
    const double made = !says(i) ? right[i] : is_factor ? right[i] * change : right[i] + change;
    if (says(i) ? !is_near(beside.theirs[i], made) && !(std::abs(beside.theirs[i] - made) <= rounding)
                : beside.theirs[i] != made) {
      return std::nullopt;
    }
  }
  return changes;
}

std::optional<Cause> changed_by_groups(const Beside& beside, bool are_weights) {
  const Shape& shape = beside.shape;
  const Shape strides = row_major_strides(shape);
  const std::vector<std::string> words = axis_words(shape.size());
  std::vector<Grouping> groupings{{"", beside.right.size(), 1}, {"column", 1, at(shape.back())}};
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    groupings.push_back({words[axis], at(strides[axis]), at(shape[axis])});
  }
  groupings.push_back({"row", at(shape.back()), beside.right.size() / at(shape.back())});
  for (const Grouping& grouping : groupings) {
    for (const bool is_factor : {true, false}) {
      const auto changes = change_of(beside, grouping, is_factor);
      const std::string how = is_factor ? " times " : " plus ";
      if (changes && grouping.name.empty()) {
        return Cause{is_factor ? "factor" : "number-added",
                     "each number is the right one" + how + number_words(changes->front())};
      }
      if (changes && grouping.name == "column" && !is_factor) {
        return Cause{"vector-added",
                     "every row is off by the same vector: a bias that is another's, too much or missing"};
      }
      if (changes) {
        return Cause{
            is_factor ? "factors" : "numbers-added",
            "each " + grouping.name + " is the right one" + how + "a number of its own" +
                (are_weights && is_factor && grouping.name == "row" ? ": the sum that divides it is another" : "")};
      }
    }
  }
  return std::nullopt;
}

/// One number in place of each -inf.
std::optional<Cause> fill_of(const Beside& beside) {
  std::optional<double> fill;
  for (std::size_t i = 0; i < beside.right.size(); ++i) {
    const double own = beside.theirs[i];
    const bool is_hidden = std::isinf(beside.right[i]) && beside.right[i] < 0;
    fill = is_hidden && !fill ? own : fill;
    if (!is_held(own, is_hidden ? *fill : beside.right[i], is_hidden ? Tolerance{0, 0, false} : Tolerance{})) {
      return std::nullopt;
    }
  }
  if (!fill || beside.shape.empty() || !beside.says_something()) {
    return std::nullopt;
  }
  return Cause{*fill == 0 ? "mask-0" : "mask-filled", "masked scores are " + number_words(*fill) + ", not -inf",
               "masked_fill(mask, -torch.inf)"};
}

/// Half precision, or nan everywhere.
std::optional<Cause> arithmetic_of(const Beside& beside, const Laid& laid, const Tensor& step,
                                   const SharedNumbers& right) {
  if (beside.are_nan()) {
    return Cause{"nan", "these are no numbers but nan: 0 * inf, inf - inf, or softmax where all is hidden"};
  }
  struct Format {
    const char* name;
    int bits;
    Tolerance tolerance;  ///< torch.testing.assert_close's
  };
  for (const Format& format : {Format{"bfloat16", 8, {1.6e-2, 1e-5}}, Format{"float16", 11, {1e-3, 1e-5}}}) {
    const auto fits = [&](double value) { return has_bits(value, format.bits); };
    const auto is_full = [&](double value) { return fits(value) && !has_bits(value, format.bits - 3); };
    const bool is_telling = std::ranges::count_if(beside.right, fits) * 2 < std::ssize(beside.right) &&
                            std::ranges::count_if(beside.theirs, is_full) * 4 > std::ssize(beside.theirs);
    Noise noise(std::ldexp(1, -format.bits));
    const Comparison plain = compare(laid.values, right, format.tolerance, laid.cells);
    if (is_telling && std::ranges::all_of(beside.theirs, fits) &&
        are_within(noise, laid.values, right, step, plain, format.tolerance)) {
      return Cause{format.name, std::string("the arithmetic is ") + format.name + "'s", "float32"};
    }
  }
  return std::nullopt;
}

/// Slices mixed up, or a function of each number.
std::optional<Cause> looks_of(const Beside& beside, std::int64_t heads) {
  if (beside.shape.empty() || !beside.says_something()) {
    return std::nullopt;
  }
  if (auto cause = mixed_up_slices(beside, heads)) {
    return cause;
  }
  for (const Function& function : functions()) {
    const auto is_made = [&](double theirs, double made) { return !std::isnan(made) && is_near(theirs, made); };
    if (std::ranges::equal(beside.theirs, beside.right, is_made, {}, function.of)) {
      return Cause{function.name, std::string(function.words) + " is applied to the right numbers"};
    }
  }
  return std::nullopt;
}

/// Whatever made them so: times a number or plus a number, one for all or one for each row, column or entry of an axis;
/// or in other places.
std::optional<Cause> patterns_of(const Beside& beside, bool are_weights) {
  if (beside.shape.empty() || !beside.says_something()) {
    return std::nullopt;
  }
  auto cause = changed_by_groups(beside, are_weights);
  return cause ? cause : reordered(beside);
}

constexpr std::size_t most_causes = 3;
/// Pairs of mistakes and other operands are tried as long as what they compute stays below so many numbers.
constexpr std::int64_t most_numbers = 20'000'000;

/// One number of a tensor, which needs not all of it.
double number_of(const Tensor& tensor, std::int64_t cell) {
  const Array part = tensor.part(box_at(index_at(cell, tensor.shape())));
  return std::visit([](const auto& numbers) { return static_cast<double>(*numbers.begin()); }, *part.contents());
}

// ---- What wrong numbers tell ----------------------------------------------------------------------

/// Finds the divisor of scores from two weights of a row; 0 if none tell it.
double divisor_of(const Laid& theirs, const std::vector<double>& scores, std::size_t width) {
  double distance = 0;
  double divisor = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool has_it = theirs.cells.empty() || std::ranges::binary_search(theirs.cells, static_cast<std::int64_t>(i));
    const std::size_t first = i / width * width;
    const double apart = scores[i] - scores[first];
    const double ratio = std::log(theirs.values[i] / theirs.values[first]);
    if (has_it && std::isfinite(ratio) && ratio != 0 && std::abs(apart) > distance) {
      distance = std::abs(apart);
      divisor = apart / ratio;
    }
  }
  return divisor;
}

/// 1 for each number that is hidden: weights of 0, and scores far below others.
std::vector<double> hidden_in(const std::vector<double>& numbers, bool are_weights) {
  std::vector<double> hidden(numbers.size());
  std::ranges::transform(numbers, hidden.begin(), [are_weights](double value) {
    return (are_weights ? value == 0 || std::isnan(value) : value < -1e3) ? 1.0 : 0.0;
  });
  return hidden;
}

/// The mistake of another mask of the scores' shape.
Mistake masked_by(const Tensor& mask, const std::string& sentence, bool is_of_weights) {
  return {"another-mask", sentence, mask_line, [mask, is_of_weights](const Tensor& was, const Tensor& is) {
            if (was.kind() == Kind::softmax && is_of_weights) {
              return softmax(masked_fill(is.operands()[0], mask, -infinity));
            }
            return !hides(was) ? is : is_of_weights ? is.operands()[0] : masked_fill(is.operands()[0], mask, -infinity);
          }};
}

/// The cells of a matrix that one mask hides and the other shows: "column 0 (3 cells, such as [1, 0])"; empty if none.
std::string differing(const std::vector<double>& hidden, const std::vector<double>& right, const Shape& shape) {
  std::set<Shape> cells;
  std::set<std::int64_t> columns;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (hidden[i] > right[i]) {
      const Shape index = index_at(static_cast<std::int64_t>(i), shape);
      cells.emplace(index.end() - 2, index.end());
      columns.insert(index.back());
    }
  }
  if (cells.empty()) {
    return "";
  }
  const std::string such =
      std::to_string(cells.size()) + (cells.size() == 1 ? " cell, " : " cells, such as ") + shape_text(*cells.begin());
  return columns.size() == 1 && cells.size() > 1 ? "column " + std::to_string(*columns.begin()) + " (" + such + ")"
                                                 : such;
}

/// Tells what a mask of this shape hides or shows wrongly; 1 is hidden, 0 shown.
std::string mask_words(const std::vector<double>& hidden, const std::vector<double>& right, const Shape& shape) {
  const auto most_shown = [columns = shape.back()](const std::vector<double>& mask) {
    std::ptrdiff_t most = 0;
    for (auto row = mask.begin(); row != mask.end(); row += columns) {
      most = std::max(most, std::count(row, row + columns, 0));
    }
    return most;
  };
  const std::string more = differing(hidden, right, shape);
  const std::string less = differing(right, hidden, shape);
  const std::ptrdiff_t most = most_shown(hidden);
  if (!more.starts_with("column") && most < most_shown(right)) {
    return "each row shows at most " + std::to_string(most) + (most == 1 ? " token" : " tokens");
  }
  return "the mask" + (more.empty() ? "" : " hides " + more + ", which should be visible") +
         (more.empty() || less.empty() ? "" : ", and") +
         (less.empty() ? "" : " shows " + less + ", which should be hidden");
}

/// Finds mistakes whose number or mask wrong weights or masked scores reveal: another divisor of scores, another mask.
/// `right` has the step's result for the port's operands.
std::vector<Mistake> solved_mistakes(const Laid& theirs, const Tensor& step, const PortOperands& operands,
                                     const std::vector<double>& right) {
  std::vector<Mistake> mistakes;
  const bool are_weights = step.kind() == Kind::softmax && step.size(-1) >= 2;
  if (are_weights) {
    const Mistake undivided = scaled_by_number(1);
    const auto scores = operands.remade(step.operands()[0], step, undivided.rule);
    const double divisor = scores && scores->shape() == step.shape()
                               ? divisor_of(theirs, values_of(*scores), static_cast<std::size_t>(step.size(-1)))
                               : 0;
    const double shortened = text::number_of<double>(text::factor_text(divisor)).value_or(divisor);
    divisor == 0 ? void() : mistakes.push_back(scaled_by_number(shortened));
  }
  const bool are_scores = hides(step) || (step.kind() == Kind::scaled && hides(step.operands()[0]));
  if ((are_weights || are_scores) && theirs.cells.empty() && step.dim() >= 2) {
    const std::vector<double> hidden = hidden_in(theirs.values, are_weights);
    const std::vector<double> others = hidden_in(right, are_weights);
    const auto count = std::ranges::count(hidden, 1);
    if (hidden != others && count > 0 && count < std::ssize(hidden)) {
      const Tensor mask = mask_at(step.shape(), {hidden.begin(), hidden.end()}, "mask");
      mistakes.push_back(masked_by(mask, mask_words(hidden, others, step.shape()), are_weights));
    }
  }
  return mistakes;
}

/// Two mistakes of one program, the first nearest to the leaves.
Mistake both(const Mistake& first, const Mistake& then) {
  const auto rule = [a = first.rule, b = then.rule](const Tensor& was, const Tensor& is) {
    const Tensor result = a(was, is);
    // The second rule reads what a layer was made of; of other operations it would undo the first.
    const bool is_read =
        result.id() == is.id() || (result.kind() == Kind::linear && result.operands().size() == was.operands().size());
    return is_read ? b(was, result) : result;
  };
  return {first.name + "," + then.name, first.sentence + "; and " + then.sentence,
          first.instead + "; and " + then.instead, rule};
}

// ---- The search -----------------------------------------------------------------------------------

/// Looks for what explains one tensor's numbers.
class CauseSearch {
 public:
  CauseSearch(const Matched& matched, std::span<const Step> steps, const PortOperands& operands,
              std::span<const Tensor* const> shown, Right& right)
      : theirs_(*matched.laid),
        step_(*matched.step),
        steps_(steps),
        operands_(operands),
        judge_(right),
        remade_(*operands.remade(*step_.tensor)),
        right_(right.values(remade_)),
        beside_(theirs_, *step_.tensor, right_) {
    for (const Tensor* tensor : shown) {
      shown_.insert(tensor->id());
    }
    for (const Step& step : steps) {
      numbers_in_all_ += element_count(step.tensor->shape());
    }
    wrong_ = compare(theirs_.values, right_, judge_.tolerance(), theirs_.cells).absolute_at;
  }

  std::vector<Cause> run() {
    const auto unless_found = [this](const auto& look) { causes_.empty() ? look() : void(); };
    unless_found([&] { claim(arithmetic_of(beside_, theirs_, remade_, right_)); });
    unless_found([&] { claim(fill_of(beside_)); });
    unless_found([&] { try_mistakes(); });
    unless_found([&] { try_other_operands(); });
    unless_found([&] { claim(looks_of(beside_, judge_.heads())); });
    unless_found([&] { try_solved(); });
    unless_found([&] { claim(patterns_of(beside_, step_.tensor->kind() == Kind::softmax)); });
    unless_found([&] { try_pairs(); });
    causes_.resize(std::min(causes_.size(), most_causes));
    return std::move(causes_);
  }

 private:
  /// Returns true if a tensor has the port's numbers, within what its sums may be off by. Computes one number first.
  bool explains(const Tensor& tensor) {
    const double here = theirs_.values[at(wrong_)];
    const double there = number_of(tensor, wrong_);
    const bool is_near = is_held(here, there, judge_.tolerance()) || std::abs(here - there) <= 1e-2 * std::abs(there);
    if (!is_near && !(std::isnan(there) && here == 0)) {
      return false;
    }
    std::vector<double> numbers = values_of(tensor);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = std::isnan(numbers[i]) && theirs_.values[i] == 0 ? 0 : numbers[i];  // nan_to_num
    }
    const Comparison plain = compare(theirs_.values, numbers, judge_.tolerance(), theirs_.cells);
    Noise noise;
    return plain.holds() || (plain.is_near() && judge_.tolerance().grows &&
                             are_within(noise, theirs_.values, numbers, tensor, plain, judge_.tolerance()));
  }

  bool is_drawn() const { return step_.tensor->operands().empty() || step_.tensor->kind() == Kind::parameter; }

  /// Keeps a cause of all cells, unless one of its name is known.
  void claim(std::optional<Cause> cause) {
    if (cause && std::ranges::find(causes_, cause->name, &Cause::name) == causes_.end()) {
      causes_.push_back(*std::move(cause));
    }
  }

  // ---- Mistakes

  /// The step's tensor of the port's operands, with a mistake in what is not shown right; `only` names the one node
  /// that has it. None where it does not fit or changes nothing.
  std::optional<Tensor> mistaken(const Mistake& mistake, const void* only = nullptr,
                                 std::set<const void*>* nodes = nullptr) const {
    const bool is_mask = is_drawn() && consumer() != nullptr;
    const Tensor& target = is_mask ? *consumer() : *step_.tensor;
    bool any = false;
    const auto made =
        (is_mask ? PortOperands() : operands_).remade(target, target, [&](const Tensor& was, const Tensor& is) {
          if (was.id() != target.id() && shown_.contains(was.id())) {
            return was;
          }
          const Tensor result = only == nullptr || was.id() == only ? mistake.rule(was, is) : is;
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
    return made && made->shape() == step_.tensor->shape() && explains(*made) && !is_like_right(*made);
  }

  bool is_like_right(const Tensor& made) const {
    constexpr Tolerance exact = {0, 0, false};
    return made.shape() == step_.tensor->shape() && is_held(number_of(made, wrong_), right_[at(wrong_)], exact) &&
           compare(right_, values_of(made), exact).holds();
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
      if (!causes_.empty() && numbers_in_all_ > most_numbers) {
        return;  // others as likely would take long
      }
      std::set<const void*> nodes;
      const auto made = mistaken(mistake, nullptr, &nodes);
      if (!made && nodes.empty()) {
        continue;
      }
      if (explain_by(made) && (beside_.says_something() || makes_all_alike(mistake))) {
        claim(cause_of(mistake));
      }
      made&& is_like_right(*made) ? void() : effective_.push_back(&mistake);
      if (nodes.size() > 1 && !mistake.name.ends_with("-after-softmax")) {  // moved: at both places
        std::ranges::for_each(nodes, [&](const void* node) { alone.emplace_back(&mistake, node); });
      }
    }
    if (causes_.size() > 1 && !is_after_softmax()) {  // what would come after it is not seen here
      std::erase_if(causes_, [](const Cause& cause) { return cause.name.ends_with("-after-softmax"); });
    }
    for (const auto& [mistake, node] : alone) {
      if (causes_.empty() && explain_by(mistaken(*mistake, node))) {
        Cause cause = cause_of(*mistake);
        const auto step = std::ranges::find_if(steps_, [id = node](const Step& one) { return one.tensor->id() == id; });
        cause.sentence += step == steps_.end() ? ", at one place alone" : ", in " + full_name(*step) + " alone";
        claim(std::move(cause));
      }
    }
  }

  void try_pairs() {
    std::int64_t computed = 0;
    for (const Mistake* first : effective_) {
      for (const Mistake* then : effective_) {
        computed += numbers_in_all_;
        if (computed > most_numbers || !causes_.empty() || !beside_.says_something()) {
          return;
        }
        const Mistake pair = both(*first, *then);
        if (first->name != then->name && explain_by(mistaken(pair))) {
          claim(cause_of(pair));
        }
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

  static Cause cause_of(const Mistake& mistake) { return {mistake.name, mistake.sentence, mistake.instead}; }

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
          claim(Cause{"other-operand", other_operand_words(operand, other)});
        }
      }
    }
  }

  static std::string other_operand_words(const Step& operand, const Step& other) {
    return (operand.name.ends_with("_bias") ? "the bias is another's: " : "") + full_name(other) + " stands where " +
           full_name(operand) + " belongs";
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
    for (const Mistake& mistake : solved_mistakes(theirs_, *step_.tensor, operands_, right_)) {
      if (explain_by(operands_.remade(*step_.tensor, *step_.tensor, mistake.rule))) {
        return claim(cause_of(mistake));
      }
    }
    const bool is_mask = step_.tensor->dtype() == DType::boolean && step_.tensor->dim() >= 2 && consumer() != nullptr;
    const auto is_truth = [](double value) { return value == 0 || value == 1; };
    if (is_mask && theirs_.cells.empty() && std::ranges::all_of(theirs_.values, is_truth)) {
      claim(Cause{"another-mask", mask_words(theirs_.values, right_, step_.tensor->shape())});
    }
  }

  const Laid& theirs_;
  const Step& step_;
  std::span<const Step> steps_;
  const PortOperands& operands_;
  Right& judge_;
  Tensor remade_;                ///< what the step makes of the port's operands
  SharedNumbers right_;          ///< its numbers
  Beside beside_;                ///< both
  std::set<const void*> shown_;  ///< tensors that the port has right
  std::int64_t wrong_;           ///< the cell that is farthest from these
  std::int64_t numbers_in_all_ = 0;
  std::vector<Mistake> table_;
  std::vector<const Mistake*> effective_;  ///< those of the table that change something here
  std::vector<Cause> causes_;
};

}  // namespace

std::vector<Cause> causes_of(const Matched& matched, std::span<const Step> steps, const PortOperands& operands,
                             std::span<const Tensor* const> shown, Right& right) {
  return CauseSearch(matched, steps, operands, shown, right).run();
}

}  // namespace attn::verify
