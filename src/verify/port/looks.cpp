#include "verify/port/looks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/causes/functions.hpp"
#include "verify/port/axes.hpp"

namespace attn::verify {
namespace {

/// What numbers may be off by that are the right ones in another place, or made of them.
constexpr Tolerance near_enough = {1e-5, 1e-7, false};

bool is_near(double theirs, double made) { return !std::isnan(made) && is_held(theirs, made, near_enough); }

/// A port's numbers and the right ones, in one shape: a whole tensor, or one head or batch entry of it.
struct Beside {
  Shape shape;
  SharedNumbers theirs;
  SharedNumbers right;
};

/// Returns true if a format with this many significant bits has the number.
bool has_bits(double value, int bits) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return !std::isfinite(value) || scaled == std::nearbyint(scaled);
}

/// Returns true if each number is near the other, or both are nan.
bool are_alike(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) { return is_held(x, y, near_enough); });
}

/// A number of the port's: of a slice, in its order.
double own_number(const Laid& theirs, std::size_t i) {
  return theirs.values[theirs.cells.empty() ? i : static_cast<std::size_t>(theirs.cells[i])];
}

template <class Is>
bool are_all(const Laid& theirs, Is is) {
  const std::size_t count = theirs.cells.empty() ? theirs.values.size() : theirs.cells.size();
  std::size_t i = 0;
  while (i < count && is(own_number(theirs, i))) {
    ++i;
  }
  return i == count;
}

/// The numbers beside the right ones, if they say something and the port has a whole tensor or a block of it.
std::optional<Beside> beside(const Laid& theirs, const Tensor& step, const SharedNumbers& right) {
  const Shape& shape = step.shape();
  if (shape.empty() || !say_something(theirs) || step.dtype() != DType::float32) {
    return std::nullopt;
  }
  if (theirs.cells.empty()) {
    return Beside{shape, theirs.values, right};
  }
  std::vector<std::set<std::int64_t>> places(shape.size());
  std::vector<double> own;
  std::vector<double> others;
  for (const std::int64_t cell : theirs.cells) {
    const Shape index = index_at(cell, shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      places[axis].insert(index[axis]);
    }
    own.push_back(theirs.values[at(cell)]);
    others.push_back(right[at(cell)]);
  }
  Shape block;
  std::ranges::transform(places, std::back_inserter(block), [](const auto& axis) { return std::ssize(axis); });
  const bool is_block = element_count(block) == std::ssize(own);
  return is_block ? std::optional(Beside{block, std::move(own), std::move(others)}) : std::nullopt;
}

Cause one(const std::string& name, const std::string& sentence, const std::string& instead = "") {
  return {{name}, sentence, instead};
}

/// The words for the axes, such as "head"; the last is columns.
std::vector<std::string> axis_words(std::size_t dim) {
  const std::vector<std::string> words{"entry of the batch", "head", "token", "column"};
  return dim >= 4   ? words
         : dim == 3 ? std::vector<std::string>{words[0], words[2], words[3]}
         : dim == 2 ? std::vector<std::string>{"row", words[3]}
                    : std::vector<std::string>{words[3]};
}

// ---- Slices ---------------------------------------------------------------------------------------

/// Finds the right slice that each slice along an axis equals, `count` for one of zeros; none if a slice is neither, or
/// all are in place.
std::optional<std::vector<std::size_t>> slices_along(std::size_t axis, const Shape& shape,
                                                     std::span<const double> theirs, std::span<const double> right) {
  const auto count = static_cast<std::size_t>(shape[axis]);
  const auto inner = static_cast<std::size_t>(row_major_strides(shape)[axis]);
  const std::size_t outer = right.size() / (count * inner);
  /// Returns true if `is_so` of all runs of numbers of the port's slice and of another right one.
  const auto everywhere = [&](std::size_t entry, std::size_t other, const auto& is_so) {
    for (std::size_t block = 0; block < outer; ++block) {
      if (!is_so(theirs.subspan((block * count + entry) * inner, inner),
                 right.subspan((block * count + other) * inner, inner))) {
        return false;
      }
    }
    return true;
  };
  std::vector<std::size_t> found;
  bool are_own = true;
  for (std::size_t entry = 0; entry < count; ++entry) {
    std::size_t is = everywhere(entry, entry, are_alike) ? entry : count;
    const auto are_all = [&](double value) {
      return everywhere(entry, entry, [value](std::span<const double> own, std::span<const double>) {
        return std::ranges::count(own, value) == std::ssize(own);
      });
    };
    const bool says_something = is == count && !are_all(theirs[entry * inner]);
    for (std::size_t other = 0; is == count && says_something && other < count; ++other) {
      is = everywhere(entry, other, are_alike) ? other : count;
    }
    if (is == count && !are_all(0)) {
      return std::nullopt;
    }
    are_own = are_own && is == entry;
    found.push_back(is);
  }
  return are_own ? std::nullopt : std::optional(found);
}

std::string slices_sentence(const std::string& what, const std::vector<std::size_t>& slices) {
  if (std::ranges::count(slices, slices[0]) == std::ssize(slices)) {
    return what + " " + std::to_string(slices[0]) + " stands everywhere";
  }
  std::vector<std::string> order;
  std::vector<std::string> zeros;
  bool is_reversed = true;
  bool are_own = true;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const bool is_zero = slices[i] == slices.size();
    order.push_back(is_zero ? "zeros" : std::to_string(slices[i]));
    is_zero ? zeros.push_back(std::to_string(i)) : void();
    are_own = are_own && (is_zero || slices[i] == i);
    is_reversed = is_reversed && slices[i] + i + 1 == slices.size();
  }
  return are_own       ? what + " " + text::joined(zeros) + " left 0"
         : is_reversed ? "in place of each " + what + " stands its opposite: the order is reversed"
                       : "in place of each " + what + " in turn stand " + text::joined(order);
}

std::optional<Cause> mixed_up_slices(const Beside& part, std::int64_t heads) {
  const Shape& shape = part.shape;
  if (heads > 1 && shape.size() == 3 && shape[2] % heads == 0 && shape[2] > heads) {
    if (const auto slices = slices_along(2, {shape[0], shape[1], heads, shape[2] / heads}, part.theirs, part.right)) {
      return one("heads-mixed-up", slices_sentence("head", *slices));
    }
  }
  const std::vector<std::string> words = axis_words(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto slices = shape[axis] > 1 ? slices_along(axis, shape, part.theirs, part.right) : std::nullopt;
    if (slices) {
      const std::string plural = words[axis] == "entry of the batch" ? "batch" : words[axis] + "s";
      return one(plural + "-mixed-up", slices_sentence(words[axis], *slices));
    }
  }
  return std::nullopt;
}

// ---- The whole ------------------------------------------------------------------------------------

/// Returns true if theirs are the right numbers of this shape with axes a and b swapped.
bool are_swapped(std::span<const double> theirs, const Shape& shape, std::span<const double> right, std::size_t a,
                 std::size_t b, const Tolerance& tolerance) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[a], order[b]);
  const std::vector<std::int64_t> cells = cells_in_order(shape, order);
  return are_held(
      theirs, [&](std::size_t i) { return right[at(cells[i])]; }, tolerance);
}

/// The right numbers in other places.
std::optional<Cause> reordered(const Beside& beside) {
  constexpr std::size_t fewest = 6;  // different numbers
  std::vector<double> theirs = beside.theirs;
  std::vector<double> right = beside.right;
  if (std::ranges::any_of(theirs, [](double value) { return std::isnan(value); }) ||
      !is_near(std::ranges::max(theirs), std::ranges::max(right))) {
    return std::nullopt;
  }
  std::ranges::sort(theirs);
  std::ranges::sort(right);
  if (!std::ranges::equal(theirs, right, is_near) || std::set(right.begin(), right.end()).size() < fewest) {
    return std::nullopt;
  }
  return one("reordered",
             "these are the right numbers in other places: reshaped, or transposed, in another order of axes");
}

// ---- One number for each group ----------------------------------------------------------------------

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
  const auto says = [&](std::size_t i) {
    return std::isfinite(beside.right[i]) && (!is_factor || beside.right[i] != 0);
  };
  std::vector<std::optional<std::size_t>> telling(grouping.count);  // the cell with the greatest number
  std::size_t informative = 0;
  for (std::size_t i = 0; i < beside.right.size(); ++i) {
    auto& best = telling[grouping.of(i)];
    if (says(i)) {
      ++informative;
      best = !best || std::abs(beside.right[i]) > std::abs(beside.right[*best]) ? i : best;
    }
  }
  std::vector<double> changes(grouping.count, is_factor ? 1 : 0);
  double most = 0;
  std::size_t groups = 0;
  for (std::size_t group = 0; group < grouping.count; ++group) {
    if (const auto cell = telling[group]) {
      ++groups;
      const double right = beside.right[*cell];
      changes[group] = is_factor ? beside.theirs[*cell] / right : beside.theirs[*cell] - right;
      most = std::max(most, std::abs(changes[group]));
    }
  }
  constexpr std::size_t fewest = 2;  // cells that could be otherwise
  if (!std::isfinite(most) || informative < 2 * groups || informative < groups + fewest) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < beside.right.size(); ++i) {
    const double right = beside.right[i];
    const double made = is_factor ? right * changes[grouping.of(i)] : right + changes[grouping.of(i)];
    const bool is_it =
        !says(i) ? beside.theirs[i] == right
                 : is_near(beside.theirs[i], made) || (!is_factor && std::abs(beside.theirs[i] - made) <= 1e-4 * most);
    if (!is_it) {
      return std::nullopt;
    }
  }
  return changes;
}

std::string number_words(double value) { return text::shortest_text(static_cast<float>(value)); }

std::optional<Cause> changed_by_groups(const Beside& beside, bool are_weights) {
  const Shape& shape = beside.shape;
  const auto width = static_cast<std::size_t>(shape.back());
  const std::size_t rows = beside.right.size() / width;
  std::vector<Grouping> groupings{{"", beside.right.size(), 1}, {"column", 1, width}};
  const std::vector<std::string> words = axis_words(shape.size());
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    groupings.push_back(
        {words[axis], static_cast<std::size_t>(row_major_strides(shape)[axis]), static_cast<std::size_t>(shape[axis])});
  }
  groupings.push_back({"row", width, rows});
  for (const Grouping& grouping : groupings) {
    for (const bool is_factor : {true, false}) {
      const auto changes = change_of(beside, grouping, is_factor);
      if (!changes) {
        continue;
      }
      const std::string how = is_factor ? " times " : " plus ";
      if (grouping.name.empty()) {
        return Cause{{is_factor ? "factor" : "number-added"},
                     "each number is the right one" + how + number_words(changes->front()),
                     ""};
      }
      if (grouping.name == "column" && !is_factor) {
        return Cause{
            {"vector-added"}, "every row is off by the same vector: a bias that is another's, too much or missing", ""};
      }
      return Cause{
          {is_factor ? "factors" : "numbers-added"},
          "each " + grouping.name + " is the right one" + how + "a number of its own" +
              (are_weights && is_factor && grouping.name == "row" ? ": the sum that divides it is another" : ""),
          ""};
    }
  }
  return std::nullopt;
}

}  // namespace

bool say_something(const Laid& theirs) {
  return !are_nan(theirs) && !are_all(theirs, [first = own_number(theirs, 0)](double value) { return value == first; });
}

bool are_nan(const Laid& theirs) {
  return are_all(theirs, [](double value) { return std::isnan(value); });
}

std::optional<Cause> fill_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right) {
  const std::optional<Beside> part = beside(theirs, step, right);
  std::optional<double> fill;
  for (std::size_t i = 0; part && i < part->right.size(); ++i) {
    const double own = part->theirs[i];
    const bool is_hidden = std::isinf(part->right[i]) && part->right[i] < 0;
    fill = is_hidden && !fill ? own : fill;
    if (!is_held(own, is_hidden ? *fill : part->right[i], is_hidden ? Tolerance{0, 0, false} : Tolerance{})) {
      return std::nullopt;
    }
  }
  return fill
             ? std::optional(Cause{{*fill == 0 ? "mask-0" : "mask-filled"},
                                   "masked scores are " + text::shortest_text(static_cast<float>(*fill)) + ", not -inf",
                                   "masked_fill(mask, -torch.inf)"})
             : std::nullopt;
}

std::optional<Cause> arithmetic_of(const Laid& theirs, const Tensor& step, const std::vector<double>& right) {
  if (are_nan(theirs)) {
    return one("nan", "these are no numbers but nan: 0 * inf, inf - inf, or softmax where all is hidden");
  }
  Noise noise;
  const Comparison usual = compare(theirs.values, right, {}, theirs.cells);
  if (usual.holds() || (!step.operands().empty() && are_within(noise, theirs.values, right, step, usual, {}))) {
    return one("float32-noise", "float32 noise: another order of summation, or wider arithmetic");
  }
  for (int digits = 1; say_something(theirs) && digits < 6; ++digits) {
    const double unit = std::pow(10.0, digits);
    const bool are_round = std::ranges::all_of(theirs.values, [&](double value) {
      return !std::isfinite(value) ||
             std::abs(value * unit - std::round(value * unit)) < 1e-6 * (unit + std::abs(value * unit));
    });
    if (!are_round) {
      continue;
    }
    std::vector<double> rounded = right;
    std::ranges::transform(right, rounded.begin(), [&](double value) { return std::round(value * unit) / unit; });
    if (compare(theirs.values, rounded, {1e-6, 1e-7}, theirs.cells).holds()) {
      return one("rounded", digits == 4 ? "the numbers are rounded to the four digits that are printed"
                                        : "the numbers are rounded to " + std::to_string(digits) +
                                              (digits == 1 ? " place" : " places"));
    }
  }
  struct Format {
    const char* name;
    int bits;
    Tolerance tolerance;  ///< torch.testing.assert_close's
  };
  for (const Format& format : {Format{"bfloat16", 8, {1.6e-2, 1e-5}}, Format{"float16", 11, {1e-3, 1e-5}}}) {
    const auto fits = [&](double value) { return has_bits(value, format.bits); };
    const auto is_full = [&](double value) { return fits(value) && !has_bits(value, format.bits - 3); };
    const bool is_telling = std::ranges::count_if(right, fits) * 2 < std::ssize(right) &&
                            std::ranges::count_if(theirs.values, is_full) * 4 > std::ssize(theirs.values);
    if (!is_telling || !std::ranges::all_of(theirs.values, fits)) {
      continue;
    }
    Noise half(std::ldexp(1, -format.bits));
    if (are_within(half, theirs.values, right, step, compare(theirs.values, right, format.tolerance, theirs.cells),
                   format.tolerance)) {
      return one(format.name, std::string("the arithmetic is ") + format.name + "'s", "float32");
    }
  }
  return std::nullopt;
}

std::optional<Cause> looks_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right, std::int64_t heads,
                              const Tolerance& tolerance) {
  const std::optional<Beside> part = beside(theirs, step, right);
  if (!part) {
    return std::nullopt;
  }
  const std::size_t dim = theirs.cells.empty() ? step.shape().size() : 0;
  for (std::size_t a = 0; a + 1 < dim; ++a) {
    if (are_swapped(part->theirs, part->shape, part->right, a, a + 1, tolerance)) {
      const std::string axes = std::to_string(a) + " and " + std::to_string(a + 1);
      return one("reshaped", "these are the right numbers, but axes " + axes +
                                 " are swapped: transposed, or by reshape or view without transpose");
    }
  }
  if (auto cause = mixed_up_slices(*part, heads)) {
    return cause;
  }
  for (const Function& function : functions()) {
    if (std::ranges::equal(part->theirs, part->right, is_near, {}, function.of)) {
      return one(function.name, std::string(function.words) + " is applied to the right numbers");
    }
  }
  return std::nullopt;
}

std::optional<Cause> patterns_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right) {
  const std::optional<Beside> part = beside(theirs, step, right);
  auto cause = part ? changed_by_groups(*part, step.kind() == Kind::softmax) : std::nullopt;
  return cause || !part ? cause : reordered(*part);
}

}  // namespace attn::verify
