#include "verify/observed/agree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <unordered_set>
#include <variant>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"

namespace attn::verify {
namespace {

/// The distance from one float to the next.
double spacing(double value) {
  const auto size = static_cast<float>(std::abs(value));
  return static_cast<double>(std::nextafter(size, HUGE_VALF)) - static_cast<double>(size);
}

/// Digit by digit, as far as floats have them: just below 1.0000e+00 and its like, units are a tenth.
Nearness to_exact(const Observed& observed, std::size_t cell, double right) {
  const double shown = observed.values[cell];
  const double unit = observed.unit(cell);
  const double apart = std::abs(shown - right);
  if (!(unit > 0) || !std::isfinite(right) || !std::isfinite(shown)) {
    const bool are_one =
        shown == right || (std::isnan(shown) && std::isnan(right)) || (std::isfinite(right) && apart <= slack(right));
    return are_one && !std::isnan(unit) ? Nearness::same : Nearness::other;
  }
  const bool is_scientific = observed.is_scientific(cell);
  double units = apart / std::max(unit, spacing(right));
  if (unit >= spacing(right) && units < 15 && (units > 0.49 || is_scientific)) {
    const double rounded = text::number_of<double>(written_like(shown, unit, is_scientific, right)).value_or(right);
    const double digits = std::log10(std::abs(shown));
    const bool starts_decade = is_scientific && std::abs(digits - std::round(digits)) < 1e-9;
    units = std::abs(shown - rounded) / (starts_decade && std::abs(rounded) < std::abs(shown) ? unit / 10 : unit);
  }
  return units < 0.5 ? Nearness::same : units < 1.5 ? Nearness::close : Nearness::other;
}

/// Returns true for neighbours among the numbers with as many digits, which meet between them.
bool are_neighbours(const Interval& a, const Interval& b) {
  constexpr double just = 1 - 1e-6;
  const double coarse = std::max(a.radius(), b.radius());
  const double apart = std::abs(a.middle() - b.middle());
  return std::min(a.radius(), b.radius()) >= coarse / 2 && apart >= coarse * just && apart > slack(a.size());
}

/// What a tensor is made of, down to what is observed.
struct Origin {
  Origin(const Tensor& tensor, const Bounds& bounds);

  /// Returns true if a leaf has nan: its numbers, or some of them, are not known.
  bool has_unknown() const {
    const auto is_known = [](const Tensor& one) {
      return one.every_part([](const Array& rows) {
        return std::visit([](const auto& all) { return std::ranges::all_of(all, [](auto x) { return x == x; }); },
                          *rows.contents());
      });
    };
    return is_observed || !std::ranges::all_of(leaves, is_known);
  }

  std::vector<Tensor> leaves = {};
  bool is_observed = false;  ///< in some part
  bool is_computed = false;  ///< not only moved to other places
  bool is_decided = false;   ///< with truths or whole numbers that are computed: they are never nan
  double terms = 0;          ///< of all sums, about
};

Origin::Origin(const Tensor& tensor, const Bounds& bounds) {
  constexpr auto moves = std::to_array(
      {Kind::index, Kind::slice, Kind::stack, Kind::cat, Kind::repeat, Kind::transpose, Kind::view, Kind::contiguous});
  std::vector<Tensor> all = {tensor};
  std::unordered_set<const void*> seen = {tensor.id()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tensor one = all[i];
    if (bounds.is_observed(one) || one.operands().empty()) {
      is_observed = is_observed || bounds.is_observed(one);
      leaves.push_back(one);
      continue;
    }
    const Tensor& first = one.operands()[0];
    terms += static_cast<double>(element_count(one.shape()) * (first.dim() > 0 ? first.size(-1) : 1));
    is_computed = is_computed || std::ranges::find(moves, one.kind()) == moves.end();
    is_decided = is_decided || one.dtype() != DType::float32;
    std::ranges::copy_if(one.operands(), std::back_inserter(all),
                         [&](const Tensor& operand) { return seen.insert(operand.id()).second; });
  }
}

/// Marks as close what float32 may give in another order. Bounds alone do not tell: they grow with each operation, far
/// more than what is lost.
void forgive_noise(Agreement& agreement, const Observed& observed, const Tensor& tensor) {
  Bounds worst;
  std::optional<double> lost;
  for (Wrong& one : agreement.wrong) {
    const double off = std::abs(observed.values[at(one.cell)] - one.right) - observed.unit(at(one.cell)) / 2;
    if (one.is_close || !(observed.unit(at(one.cell)) > 0) || !std::isfinite(one.right)) {
      continue;
    }
    const double most = 2 * worst.cell(tensor, shown_position(observed, tensor.shape(), one.cell)).radius();
    if (!lost && off > most) {
      return;  // it is another tensor
    }
    lost = lost ? *lost : 16 * lost_in(observed, tensor, agreement);
    const double scale = tensor.kind() == Kind::softmax ? one.right : 1;  // small weights lose less
    one.is_close = off <= std::min(most, *lost * scale);
  }
}

/// The largest minus the smallest number, leaving out zeros and infinities; 0 if there are none.
double range_of(std::span<const Interval> cells) {
  Interval all = {HUGE_VAL, -HUGE_VAL};
  for (const Interval& cell : cells) {
    const bool counts = std::isfinite(cell.low) && cell.size() > 0;
    all = counts ? Interval{std::min(all.low, cell.middle()), std::max(all.high, cell.middle())} : all;
  }
  return std::max(0.0, all.high - all.low);
}

/// log10 of the probability that one cell holds if the numbers range over `range`. Whole ones are no finer than 1.
double chance_of_cell(const Interval& shown, const Interval& right, double range) {
  const double least = is_whole(shown) ? 1 : 0;
  const double width = std::max(least, right.high - right.low + shown.high - shown.low + 2 * slack(shown.low));
  const bool may_fail = range + least > 0 && std::isfinite(width);
  return may_fail ? std::log10(std::clamp(width / (range + least), 1e-12, 1.0)) : 0;
}

/// log10 of the probability of zeros at these places, as dropout draws them. Nobody draws zeros that are nearly all on
/// one side of the diagonal of the last two axes.
double chance_of_places(const Observed& mask) {
  const std::int64_t columns = mask.rank() < 2 ? 1 : mask.shape.back();
  const std::int64_t rows = mask.rank() < 2 ? 1 : mask.shape[mask.rank() - 2];
  std::array<double, 3> all = {};  // below, on and above the diagonal
  std::array<double, 3> zero = {};
  for (std::int64_t i = 0; i < std::ssize(mask.values); ++i) {
    const auto side = at(std::clamp<std::int64_t>(i % columns - i / columns % rows, -1, 1) + 1);
    ++all[side];
    zero[side] += mask.values[at(i)] == 0 ? 1 : 0;
  }
  const auto is_empty = [&](std::size_t side) { return all[side] > 0 && zero[side] >= 0.8 * all[side]; };
  const double zeros = zero[0] + zero[1] + zero[2];
  const double others = static_cast<double>(mask.size()) - zeros;
  const bool is_drawn = mask.rank() > 1 && zeros > 0 && others > 0 && !is_empty(0) && !is_empty(2);
  return is_drawn ? zeros * std::log10(zeros / (zeros + others)) + others * std::log10(others / (zeros + others)) : 0;
}

/// log10 of the probability that as many cells hold by chance, whichever of them they are.
double chance_of_holding(const Observed& shown, const Agreement& with) {
  const bool is_mask = is_binary(shown);
  double chance = is_mask ? chance_of_places(shown) : 0;
  const std::vector<Interval> cells = shown.cells();
  const double range = range_of(cells);
  const bool zeros_are_masked = !std::ranges::all_of(cells, is_whole);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool says_nothing = zeros_are_masked && cells[i].size() == 0 && with.right[i].size() < 1e-6;
    if (wrong < with.wrong.size() && at(with.wrong[wrong].cell) == i) {
      chance += std::log10(static_cast<double>(cells.size() - wrong) / static_cast<double>(wrong + 1));
      ++wrong;
    } else if (!says_nothing && !is_mask) {
      chance += chance_of_cell(cells[i], with.right[i], range);
    }
  }
  return chance;
}

}  // namespace

Nearness nearness(const Observed& observed, std::size_t cell, const Interval& right, bool is_copied) {
  if (!(right.low < right.high)) {
    return to_exact(observed, cell, right.low);
  }
  const Interval shown = observed.cell(cell);
  if (meet(shown, right) && (!is_copied || !are_neighbours(shown, right))) {
    return Nearness::same;
  }
  const double unit = observed.unit(cell);
  return unit > 0 && meet({shown.low - unit, shown.high + unit}, right) ? Nearness::close : Nearness::other;
}

double lost_in(const Observed& observed, const Tensor& tensor, const Agreement& with) {
  constexpr std::int64_t most_terms = 4'000'000;
  Bounds unrounded(0);
  double lost = 0;
  for (std::size_t i = 0; i < observed.size() && unrounded.cost() < most_terms; ++i) {
    const std::int64_t place = shown_position(observed, tensor.shape(), static_cast<std::int64_t>(i));
    const double change = std::abs(unrounded.cell(tensor, place).middle() - with.right[i].low);
    lost = std::isfinite(change) ? std::max(lost, change) : lost;
  }
  return lost;
}

void forget_noise(Agreement& with, const Observed& shown, const Tensor& tensor) {
  constexpr double few = 4;
  constexpr double float32 = 1.2e-7;
  constexpr std::size_t most_cells = 4096;
  if (!with.is_exact || with.close() == 0 || shown.size() > most_cells) {
    return;
  }
  const double most = few * lost_in(shown, tensor, with);
  std::erase_if(with.wrong, [&](const Wrong& one) {
    const double off = std::abs(shown.values[at(one.cell)] - one.right) - shown.unit(at(one.cell)) / 2;
    const bool has_more_digits = shown.unit(at(one.cell)) < float32 * std::abs(one.right);
    return one.is_close && (off <= most || has_more_digits);
  });
}

double chance_of(const Observed& shown) {
  Agreement with;
  with.right = shown.cells();
  return chance_of_holding(shown, with);
}

bool is_excluded(double chance, std::size_t tried) {
  return chance + std::log10(static_cast<double>(std::max<std::size_t>(1, tried))) < -6;
}

std::size_t few_of(const Observed& observed) {
  const auto telling =
      std::ranges::count_if(observed.values, [](double value) { return std::isfinite(value) && value != 0; });
  return std::max<std::size_t>(1, static_cast<std::size_t>(telling) * 15 / 100);
}

bool is_binary(const Observed& observed) {
  double other = 0;
  return std::ranges::all_of(observed.values, [&](double value) {
    other = other == 0 ? value : other;
    return value == 0 || value == other;
  });
}

Agreement agree(const Observed& observed, const Tensor& tensor, Bounds& bounds, const AgreeOptions& options) {
  constexpr double most_terms = 4e6;  // that are worth finding out what float32 loses in them
  Agreement result;
  const bool is_bool = tensor.dtype() == DType::boolean;
  const bool is_of_kind = observed.dtype.empty() ? !is_bool : observed.dtype != "bool" || is_bool;
  result.is_comparable = is_of_kind && may_show(observed, tensor.shape());
  if (!result.is_comparable) {
    return result;
  }
  const Origin origin(tensor, bounds);
  result.is_exact = !origin.is_observed;
  const std::vector<double> exact = result.is_exact ? shown_values(observed, tensor) : std::vector<double>();
  const bool is_decided = result.is_exact && origin.is_decided;
  const bool are_numbers = std::ranges::none_of(exact, [](double number) { return std::isnan(number); });
  const bool has_unknown = (!result.is_exact || is_decided || !are_numbers) && origin.has_unknown();
  std::int64_t differing = 0;
  for (std::int64_t i = 0; i < std::ssize(observed.values); ++i) {
    const Interval right = result.is_exact ? Interval{exact[at(i)], exact[at(i)]}
                                           : bounds.cell(tensor, shown_position(observed, tensor.shape(), i));
    const bool is_number = right.low == right.high || std::isfinite(right.high - right.low);
    if (has_unknown && (is_decided || !is_number)) {
      ++result.unknown;
      result.right.push_back(no_number);
      continue;
    }
    result.right.push_back(right);
    const Nearness near = nearness(observed, at(i), right, !origin.is_computed);
    if (near != Nearness::same) {
      result.wrong.push_back({i, right.middle(), near == Nearness::close});
      differing += near == Nearness::other ? 1 : 0;
    }
    if (differing > options.most_differing) {
      result.is_comparable = false;
      return result;
    }
  }
  if (differing > 0 && result.is_exact && origin.is_computed && origin.terms <= most_terms) {
    forgive_noise(result, observed, tensor);
  }
  result.chance = chance_of_holding(observed, result);
  return result;
}

}  // namespace attn::verify
