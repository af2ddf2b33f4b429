#include "verify/port/causes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>

#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/causes/mistakes.hpp"

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
      return Cause{{"heads-mixed-up"}, slices_sentence("head", *places)};
    }
  }
  const std::vector<std::string> words = axis_words(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (const auto places = shape[axis] > 1 ? places_along(axis, shape, beside) : std::nullopt) {
      const std::string plural = words[axis] == "entry of the batch" ? "batch" : words[axis] + "s";
      return Cause{{plural + "-mixed-up"}, slices_sentence(words[axis], *places)};
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
  return Cause{{"reordered"},
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
        return Cause{{is_factor ? "factor" : "number-added"},
                     "each number is the right one" + how + number_words(changes->front())};
      }
      if (changes && grouping.name == "column" && !is_factor) {
        return Cause{{"vector-added"},
                     "every row is off by the same vector: a bias that is another's, too much or missing"};
      }
      if (changes) {
        return Cause{
            {is_factor ? "factors" : "numbers-added"},
            "each " + grouping.name + " is the right one" + how + "a number of its own" +
                (are_weights && is_factor && grouping.name == "row" ? ": the sum that divides it is another" : "")};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

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

bool Beside::are_nan() const {
  return std::ranges::all_of(theirs, [](double value) { return std::isnan(value); });
}

bool Beside::says_something() const { return !are_nan() && !are_all(theirs, theirs[0]); }

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
  return Cause{{*fill == 0 ? "mask-0" : "mask-filled"},
               "masked scores are " + number_words(*fill) + ", not -inf",
               "masked_fill(mask, -torch.inf)"};
}

std::optional<Cause> arithmetic_of(const Beside& beside, const Laid& laid, const Tensor& step,
                                   const SharedNumbers& right) {
  if (beside.are_nan()) {
    return Cause{{"nan"}, "these are no numbers but nan: 0 * inf, inf - inf, or softmax where all is hidden"};
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
      return Cause{{format.name}, std::string("the arithmetic is ") + format.name + "'s", "float32"};
    }
  }
  return std::nullopt;
}

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
      return Cause{{function.name}, std::string(function.words) + " is applied to the right numbers"};
    }
  }
  return std::nullopt;
}

std::optional<Cause> patterns_of(const Beside& beside, bool are_weights) {
  if (beside.shape.empty() || !beside.says_something()) {
    return std::nullopt;
  }
  auto cause = changed_by_groups(beside, are_weights);
  return cause ? cause : reordered(beside);
}

}  // namespace attn::verify
