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
#include "verify/port/axes.hpp"
#include "verify/port/functions.hpp"

namespace attn::verify {
namespace {

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

// ---- Slices ---------------------------------------------------------------------------------------

/// Finds the right slice that each slice along an axis equals, `count` for one of zeros; none if a slice is neither, or
/// all are in place.
std::optional<std::vector<std::size_t>> slices_along(std::size_t axis, const Shape& shape,
                                                     std::span<const double> theirs, std::span<const double> right) {
  const auto count = static_cast<std::size_t>(shape[axis]);
  const auto inner = static_cast<std::size_t>(std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                                              shape.end(), std::int64_t{1}, std::multiplies<>()));
  const std::size_t outer = right.size() / (count * inner);
  const auto run = [&](std::span<const double> all, std::size_t block, std::size_t entry) {
    return all.subspan((block * count + entry) * inner, inner);
  };
  const auto in_every_block = [&](const auto& is_so) {
    std::size_t block = 0;
    while (block < outer && is_so(block)) {
      ++block;
    }
    return block == outer;
  };
  const auto every_number = [&](std::size_t entry, const auto& is_so) {
    return in_every_block([&](std::size_t block) { return std::ranges::all_of(run(theirs, block, entry), is_so); });
  };
  const auto is_like = [&](std::size_t entry, std::size_t other) {
    return in_every_block(
        [&](std::size_t block) { return are_alike(run(theirs, block, entry), run(right, block, other)); });
  };
  std::vector<std::size_t> found;
  for (std::size_t entry = 0; entry < count; ++entry) {
    std::size_t is = is_like(entry, entry) ? entry : count;
    const double first = theirs[entry * inner];
    const bool says_something = is == count && !every_number(entry, [first](double value) { return value == first; });
    const bool is_zero = is == count && every_number(entry, [](double value) { return value == 0; });
    for (std::size_t other = 0; is == count && says_something && other < count; ++other) {
      is = is_like(entry, other) ? other : count;
    }
    if (is == count && !is_zero) {
      return std::nullopt;
    }
    found.push_back(is);
  }
  std::vector<std::size_t> own(count);
  std::iota(own.begin(), own.end(), std::size_t{0});
  return found == own ? std::nullopt : std::optional(found);
}

std::string slices_sentence(const std::string& what, const std::vector<std::size_t>& slices) {
  std::vector<std::string> empty;
  for (std::size_t entry = 0; entry < slices.size(); ++entry) {
    if (slices[entry] == slices.size()) {
      empty.push_back(std::to_string(entry));
    }
  }
  const bool are_others_own = std::ranges::all_of(
      slices, [&, i = std::size_t{0}](std::size_t one) mutable { return one == i++ || one == slices.size(); });
  if (are_others_own) {
    return what + " " + text::joined(empty) + (empty.size() == 1 ? " is left 0" : " are left 0");
  }
  if (std::ranges::all_of(slices, [&](std::size_t one) { return one == slices[0]; })) {
    return what + " " + std::to_string(slices[0]) + " stands everywhere";
  }
  std::vector<std::size_t> reversed(slices.size());
  std::iota(reversed.rbegin(), reversed.rend(), std::size_t{0});
  if (slices == reversed) {
    return "in place of each " + what + " stands its opposite: the order is reversed";
  }
  std::vector<std::string> order;
  for (const std::size_t one : slices) {
    order.push_back(one == slices.size() ? "zeros" : std::to_string(one));
  }
  return "in place of each " + what + " in turn stand " + text::joined(order);
}

std::optional<Cause> mixed_up_slices(std::span<const double> theirs, const Shape& shape, std::span<const double> right,
                                     std::int64_t heads) {
  const bool has_heads = heads > 1 && shape.size() == 3 && shape[2] % heads == 0 && shape[2] > heads;
  if (has_heads) {
    const Shape split{shape[0], shape[1], heads, shape[2] / heads};
    if (const auto slices = slices_along(2, split, theirs, right)) {
      return one("heads-mixed-up", slices_sentence("head", *slices));
    }
    const auto width = static_cast<std::size_t>(split[3]);
    const auto number = static_cast<std::size_t>(heads);
    bool is_interleaved = true;
    for (std::size_t i = 0; i < right.size() && is_interleaved; ++i) {
      const std::size_t column = i % (width * number);
      const std::size_t place = i - column + column % width * number + column / width;
      is_interleaved = is_held(theirs[place], right[i], near_enough);
    }
    if (is_interleaved) {
      return one(
          "heads-interleaved",
          "column i is of head i % num_heads: the heads are innermost, where each has head_dim columns in a row");
    }
  }
  const std::vector<std::string> words = axis_words(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] > 1) {
      if (const auto slices = slices_along(axis, shape, theirs, right)) {
        const std::string plural = words[axis] == "entry of the batch" ? "batch" : words[axis] + "s";
        return one(plural + "-mixed-up", slices_sentence(words[axis], *slices));
      }
    }
  }
  return std::nullopt;
}

/// Whole rows are wrongly 0 or nan; everything else is right.
std::optional<Cause> rows_left_out(std::span<const double> theirs, const Shape& shape, std::span<const double> right) {
  const auto width = static_cast<std::size_t>(shape.back());
  std::set<std::size_t> rows;
  const auto is_empty = [](double value) { return value == 0 || std::isnan(value); };
  bool is_nan = false;
  for (std::size_t row = 0; row * width < right.size(); ++row) {
    const std::span<const double> own = theirs.subspan(row * width, width);
    if (are_alike(own, right.subspan(row * width, width))) {
      continue;
    }
    if (!std::ranges::all_of(own, is_empty)) {
      return std::nullopt;
    }
    is_nan = is_nan || std::isnan(own[0]);
    rows.insert(shape.size() < 2 ? row : row % static_cast<std::size_t>(shape[shape.size() - 2]));
  }
  if (rows.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> words;
  for (const std::size_t row : rows) {
    words.push_back(std::to_string(row));
  }
  return one("rows-left-out", std::string(rows.size() == 1 ? "row " : "rows ") + text::joined(words) +
                                  (is_nan ? " have no numbers" : " are left 0"));
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

/// Each number is 0 or the right one times a common factor above 1: dropout that should be off.
std::optional<double> dropout_factor(std::span<const double> theirs, std::span<const double> right) {
  double factor = 0;
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (theirs[i] == 0 || right[i] == 0) {
      dropped += theirs[i] == 0 && right[i] != 0 ? 1U : 0U;
    } else if (const double ratio = theirs[i] / right[i]; factor == 0 && ratio > 1.001) {
      factor = ratio;
    } else if (!(std::abs(ratio - factor) < 1e-4 * factor)) {
      return std::nullopt;
    }
  }
  return dropped > 0 && factor > 1 ? std::optional(factor) : std::nullopt;
}

/// The number in place of each -inf, if everything else is right.
std::optional<double> fill_of(std::span<const double> theirs, std::span<const double> right) {
  std::optional<double> fill;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const bool is_hidden = std::isinf(right[i]) && right[i] < 0;
    if (is_hidden && fill && !is_held(theirs[i], *fill, {0, 0, false})) {
      return std::nullopt;
    }
    fill = is_hidden ? theirs[i] : fill;
  }
  return fill;
}

/// Looks at a whole tensor, or a block of it.
std::optional<Cause> looks_of_part(const Beside& part, std::int64_t heads) {
  const auto are_made_by = [&](const auto& function) {
    return are_held(part.theirs, [&](std::size_t i) { return function(part.right[i]); }, {});
  };
  if (const auto fill = fill_of(part.theirs, part.right)) {
    if (are_made_by([&](double value) { return std::isinf(value) ? *fill : value; })) {
      return one("mask-filled", "masked scores are " + text::shortest_text(static_cast<float>(*fill)) + ", not -inf",
                 "masked_fill(mask, -torch.inf)");
    }
  }
  if (const auto factor = dropout_factor(part.theirs, part.right)) {
    return one(
        "dropout-on",
        "dropout is on: some numbers are 0, all others times " + text::shortest_text(static_cast<float>(*factor)),
        "model.eval()");
  }
  if (auto cause = mixed_up_slices(part.theirs, part.shape, part.right, heads)) {
    return cause;
  }
  if (auto cause = rows_left_out(part.theirs, part.shape, part.right)) {
    return cause;
  }
  return functions_of(part, heads);
}

}  // namespace

bool say_something(const Laid& theirs) {
  return !are_nan(theirs) && !are_all(theirs, [first = own_number(theirs, 0)](double value) { return value == first; });
}

bool are_nan(const Laid& theirs) {
  return are_all(theirs, [](double value) { return std::isnan(value); });
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
  const auto are_with = [&](std::size_t a, std::size_t b) {
    return are_swapped(part->theirs, part->shape, part->right, a, b, tolerance);
  };
  if (dim >= 2 && step.size(-1) == step.size(-2) && are_with(dim - 2, dim - 1)) {
    return Cause{{"transposed"}, "these are the right numbers, transposed", ""};
  }
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{1, 2}, {0, 1}, {2, 3}}) {
    if (b < dim && are_with(a, b)) {
      return Cause{{"reshaped"},
                   "these are the right numbers, but axes " + std::to_string(a) + " and " + std::to_string(b) +
                       " are swapped by reshape or view, without transpose",
                   "transpose(" + std::to_string(a) + ", " + std::to_string(b) + ")"};
    }
  }
  return looks_of_part(*part, heads);
}

std::optional<Cause> patterns_of(const Laid& theirs, const Tensor& step, const SharedNumbers& right) {
  const std::optional<Beside> part = beside(theirs, step, right);
  return part ? patterns_of(*part, step.kind() == Kind::softmax) : std::nullopt;
}

}  // namespace attn::verify
