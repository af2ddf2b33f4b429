#include "verify/port/functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <string>

#include "text/numbers.hpp"
#include "walk/functions.hpp"

namespace attn::verify {
namespace {

/// The pairs of columns that rotary positions turn: i and i + half, or 2i and 2i + 1.
constexpr bool are_halves[] = {true, false};

/// Returns true if each vector of a token is turned pair by pair, by its place times an angle for each pair, 1 /
/// 10000^(i / half).
bool is_rotated(const Beside& beside, const Shape& shape, std::size_t token_axis, bool is_by_halves) {
  const std::vector<double>& theirs = beside.theirs;
  const std::vector<double>& right = beside.right;
  const auto width = static_cast<std::size_t>(shape.back());
  const auto stride = static_cast<std::size_t>(row_major_strides(shape)[token_axis]);
  const std::size_t half = width / 2;
  for (std::size_t row = 0; row < right.size(); row += width) {
    const auto token = static_cast<double>(row / stride % static_cast<std::size_t>(shape[token_axis]));
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = token / std::pow(10000.0, static_cast<double>(i) / static_cast<double>(half));
      const std::size_t a = row + (is_by_halves ? i : 2 * i);
      const std::size_t b = row + (is_by_halves ? i + half : 2 * i + 1);
      if (!is_near(theirs[a], right[a] * std::cos(angle) - right[b] * std::sin(angle)) ||
          !is_near(theirs[b], right[a] * std::sin(angle) + right[b] * std::cos(angle))) {
        return false;
      }
    }
    if (width % 2 == 1 && !is_near(theirs[row + width - 1], right[row + width - 1])) {
      return false;
    }
  }
  return true;
}

/// Rotary positions, in vectors [.., tokens, .., width]; of joined heads in each.
std::optional<Cause> rotary(const Beside& beside, std::int64_t heads) {
  Shape shape = beside.shape;
  const std::size_t token_axis = shape.size() < 2 ? 0 : shape.size() - 2;
  if (shape.size() < 2 || shape.back() < 2) {
    return std::nullopt;
  }
  if (shape.size() == 3 && heads > 1 && shape[2] % heads == 0) {
    shape = {shape[0], shape[1], heads, shape[2] / heads};
  }
  for (const bool is_by_halves : are_halves) {
    if (is_rotated(beside, shape, token_axis, is_by_halves)) {
      return Cause{{"rotated"},
                   std::string("each vector is rotated by its token's place: RoPE, in ") +
                       (is_by_halves ? "halves" : "pairs of neighbours"),
                   ""};
    }
  }
  return std::nullopt;
}

// ---- One number for each group ----------------------------------------------------------------------

/// The numbers that one number changes: all, or those of a row, of a column, of an entry of an axis.
struct Grouping {
  std::string name;  ///< "row"; empty for all
  std::size_t inner;
  std::size_t entries;
  std::size_t outer = 1;  ///< and those of another axis
  std::size_t others = 1;

  std::size_t count() const { return entries * others; }
  std::size_t of(std::size_t cell) const { return cell / inner % entries + cell / outer % others * entries; }
};

/// What each group is multiplied with, or what is added to it, if that makes theirs of the right numbers. None unless
/// the numbers are many more than the groups.
std::optional<std::vector<double>> change_of(const Beside& beside, const Grouping& grouping, bool is_factor) {
  const auto says = [&](std::size_t i) {
    return std::isfinite(beside.right[i]) && (!is_factor || beside.right[i] != 0);
  };
  std::vector<std::optional<std::size_t>> telling(grouping.count());  // the cell with the greatest number
  std::size_t informative = 0;
  for (std::size_t i = 0; i < beside.right.size(); ++i) {
    auto& best = telling[grouping.of(i)];
    if (says(i)) {
      ++informative;
      best = !best || std::abs(beside.right[i]) > std::abs(beside.right[*best]) ? i : best;
    }
  }
  std::vector<double> changes(grouping.count(), is_factor ? 1 : 0);
  double most = 0;
  std::size_t groups = 0;
  for (std::size_t group = 0; group < grouping.count(); ++group) {
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
  if (shape.size() == 4) {
    groupings.push_back(
        {"column of a head", 1, width, static_cast<std::size_t>(shape[2]) * width, static_cast<std::size_t>(shape[1])});
  }
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
      if (grouping.name.starts_with("column") && !is_factor) {
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

/// Returns true if so many of the numbers differ from each other.
bool has_different(std::span<const double> numbers, std::size_t fewest) {
  std::set<double> different;
  for (std::size_t i = 0; i < numbers.size() && different.size() < fewest; ++i) {
    different.insert(numbers[i]);
  }
  return different.size() >= fewest;
}

/// The right numbers in other places.
std::optional<Cause> reordered(const Beside& beside) {
  constexpr std::size_t fewest = 6;  // different numbers
  if (std::ranges::any_of(beside.theirs, [](double value) { return std::isnan(value); }) ||
      !has_different(beside.right, fewest) ||
      !is_near(std::ranges::max(beside.theirs), std::ranges::max(beside.right)) ||
      !is_near(std::ranges::min(beside.theirs), std::ranges::min(beside.right))) {
    return std::nullopt;
  }
  std::vector<double> theirs;  // where they are not in their places
  std::vector<double> right;
  for (std::size_t i = 0; i < beside.right.size(); ++i) {
    if (beside.theirs[i] != beside.right[i]) {
      theirs.push_back(beside.theirs[i]);
      right.push_back(beside.right[i]);
    }
  }
  std::ranges::sort(theirs);
  std::ranges::sort(right);
  if (!std::ranges::equal(theirs, right, is_near)) {
    return std::nullopt;
  }
  return Cause{{"reordered"},
               "these are the right numbers in other places: reshaped, or transposed, in another order of axes",
               ""};
}

}  // namespace

std::vector<std::string> axis_words(std::size_t dim) {
  const std::vector<std::string> words{"entry of the batch", "head", "token", "column"};
  return dim >= 4   ? words
         : dim == 3 ? std::vector<std::string>{words[0], words[2], words[3]}
         : dim == 2 ? std::vector<std::string>{"row", words[3]}
                    : std::vector<std::string>{words[3]};
}

std::optional<Cause> functions_of(const Beside& beside, std::int64_t heads) {
  for (const Function& function : functions()) {
    if (std::ranges::equal(beside.theirs, beside.right, is_near, {}, function.of)) {
      return Cause{{function.name}, std::string(function.words) + " is applied to the right numbers", ""};
    }
  }
  return rotary(beside, heads);
}

std::optional<Cause> patterns_of(const Beside& beside, bool are_weights) {
  auto cause = changed_by_groups(beside, are_weights);
  return cause ? cause : reordered(beside);
}

}  // namespace attn::verify
