#include "verify/propose/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "verify/bound/chance.hpp"

namespace attn::verify {
namespace {

/// What a proposal costs besides the terms of its derivation.
constexpr std::int64_t cost_of_proposal = 8;

/// Triangles of ones and what masks hide with are of masks alone, in squares of 3 and more; so large a number in any.
double chance_of_pattern(const Observed& target) {
  constexpr std::size_t least_cells = 9;
  constexpr double hides = -1e4;
  constexpr double certain = -12;
  const bool is_telling = target.size() >= least_cells ||
                          std::ranges::any_of(target.cells(), [](const Interval& cell) { return cell.low <= hides; });
  return is_telling ? certain : 0;
}

/// Whether two numbers may be one, with a slack in proportion to them: many weights are small.
bool meet_within(const Interval& a, const Interval& b, double slack) {
  constexpr double least = 1.2e-38;  // less is 0 to most kernels
  if (std::isinf(a.low) || std::isinf(b.low)) {
    return a.low == b.low;
  }
  const double room = slack * a.size() + least;
  return a.low <= b.high + room && b.low <= a.high + room;
}

/// Returns true if a number is not what exact arithmetic makes of exact sources, whatever floats lose. Bounds grow with
/// each operation, far more than what is lost: through many layers another digit is within them. `change` is what the
/// rounding of the sources alone changes.
bool is_off(const Interval& printed, const Interval& bound, double exact, double change) {
  constexpr double half_units = 3;
  constexpr double operations = 64;  // whose rounding adds up
  const double lost = operations * std::max(change, 0x1p-26 * std::abs(exact));
  const double room =
      half_units * std::max(printed.radius(), slack(printed.size())) + std::min(bound.high - bound.low, lost);
  return std::isfinite(exact) && std::isfinite(room) && std::abs(printed.middle() - exact) > room;
}

double largest_change(std::span<const double> from, std::span<const double> to) {
  double largest = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    largest = std::max(largest, std::abs(from[i] - to[i]));
  }
  return largest;
}

/// Returns true if two printed numbers may be one: not neighbours, which meet between them.
bool is_same_number(const Interval& a, const Interval& b) {
  constexpr double just = 1 - 1e-6;
  const double coarse = std::max(a.radius(), b.radius());
  const double fine = std::min(a.radius(), b.radius());
  const double apart = std::abs(a.middle() - b.middle());
  return std::isinf(a.low) || fine == 0 || apart <= slack(a.size()) ||
         apart < (fine < coarse / 2 ? coarse + fine : coarse) * just;
}

/// Returns true if a tensor only puts the numbers of others in other places.
bool moves_only(const Tensor& tensor) {
  constexpr auto moves = std::to_array(
      {Kind::index, Kind::slice, Kind::stack, Kind::cat, Kind::repeat, Kind::transpose, Kind::view, Kind::contiguous});
  return tensor.operands().empty() ||
         (std::ranges::find(moves, tensor.kind()) != moves.end() && std::ranges::all_of(tensor.operands(), moves_only));
}

/// Returns true if no bound is wider than what its printed number may be.
bool is_narrow(const Observed& target, std::span<const Interval> bounds) {
  return std::ranges::equal(target.cells(), bounds, [](const Interval& printed, const Interval& bound) {
    return bound.high - bound.low <= 2 * std::max(printed.radius(), slack(printed.size()));
  });
}

/// Returns true if all numbers are smaller than their bounds are wide, as where a sum should be 0: any other such
/// numbers would hold too.
bool is_lost(const Observed& target, std::span<const Interval> bounds) {
  return std::ranges::equal(target.cells(), bounds, [](const Interval& printed, const Interval& bound) {
    return printed.size() < bound.high - bound.low;
  });
}

double deviation_of(std::span<const Interval> cells) {
  double mean = 0;
  double squares = 0;
  for (const Interval& cell : cells) {
    mean += cell.middle() / static_cast<double>(cells.size());
    squares += cell.middle() * cell.middle() / static_cast<double>(cells.size());
  }
  return std::sqrt(std::max(0.0, squares - mean * mean));
}

bool is_better(const Relation& one, const Relation& other) {
  const auto rank = [](const Relation& relation) {
    return std::tuple(relation.failing.size(), relation.form, -relation.fitting, relation.leaves,
                      -static_cast<std::int64_t>(relation.nearest), relation.sources.size());
  };
  return rank(one) < rank(other);
}

}  // namespace

std::vector<Interval> Search::bounded(const Tensor& tensor) {
  const std::int64_t before = bounds_.cost();
  std::vector<Interval> cells;
  const std::int64_t count = element_count(tensor.shape());
  cells.reserve(at(count));
  for (std::int64_t i = 0; i < count; ++i) {
    cells.push_back(bounds_.cell(tensor, i));
  }
  patience_ -= bounds_.cost() - before;
  return cells;
}

std::vector<double> Search::exact_cells(const Tensor& tensor, double shift) {
  constexpr std::size_t mixes = 0x9E3779B97F4A7C15;
  constexpr double known = 1e-6;  // as a share of the number
  Bounds exact(0);
  for (const std::size_t place : leaves_of(tensor)) {
    const Leaf& leaf = leaves_[place];
    std::vector<Interval> cells;
    for (std::size_t i = 0; i < leaf.source.numbers.size(); ++i) {
      const Interval bound = bounds_.cell(leaf.tensor, static_cast<std::int64_t>(i));
      const bool is_known = !leaf.source.exact.empty() || !(bound.high - bound.low > known * bound.size());
      const double number = leaf.source.exact.empty() ? bound.middle() : leaf.source.exact[i];
      if (!is_known) {
        return {};
      }
      const double shifted = number * (1 + ((i * mixes) >> 63U == 0 ? shift : -shift));
      cells.push_back({shifted, shifted});
    }
    exact.observe(leaf.tensor, std::move(cells));
  }
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < element_count(tensor.shape()); ++i) {
    numbers.push_back(exact.cell(tensor, i).middle());
  }
  return numbers;
}

bool Search::offer(Form form, const Tensor& candidate, double known) {
  if (candidate.shape() != target_.shape || !has_patience()) {
    return false;
  }
  ++tried_;
  const std::int64_t before = bounds_.cost();
  std::vector<Interval> cells;
  std::vector<std::int64_t> failing;
  const bool is_moved = moves_only(candidate);
  for (std::size_t i = 0; i < target_.size() && failing.size() <= most_failing_; ++i) {
    cells.push_back(bounds_.cell(candidate, static_cast<std::int64_t>(i)));
    const Interval printed = target_.cell(i);
    if (!meet_within(printed, cells.back(), slack(1)) || (is_moved && !is_same_number(printed, cells.back()))) {
      failing.push_back(static_cast<std::int64_t>(i));
    }
  }
  patience_ -= bounds_.cost() - before + cost_of_proposal;
  std::vector<double> exact =
      form == Form::listed && failing.size() <= most_failing_ ? exact_cells(candidate) : std::vector<double>();
  const double change = exact.empty() ? 0 : largest_change(exact, exact_cells(candidate, 0x1p-24));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (is_off(target_.cell(i), cells[i], exact[i], change) &&
        !std::ranges::binary_search(failing, static_cast<std::int64_t>(i))) {
      failing.insert(std::ranges::lower_bound(failing, static_cast<std::int64_t>(i)), static_cast<std::int64_t>(i));
      cells[i] = {exact[i], exact[i]};
    }
  }
  if (failing.size() > most_failing_ || failing.empty() == is_near_miss()) {
    return false;
  }
  is_possible_ = is_possible_ || failing.empty();
  const double chance = chance_of(form, candidate, cells, failing) + known;
  Relation relation;
  relation.form = form;
  relation.chance = chance;
  relation.is_wide = is_wide(cells);
  relation.failing = std::move(failing);
  relation.numbers = std::move(cells);
  relation.exact = std::move(exact);
  if (chance + std::log10(static_cast<double>(tried_)) > least_chance) {
    return false;
  }
  const std::vector<std::size_t> leaves = leaves_of(candidate);
  // What the listing makes may depend on one of its leaves alone: no softmax depends on the keys' bias. Numbers that it
  // determines may depend on none: those of equal keys.
  const auto is_needed = [&](std::size_t leaf) { return depends_on(candidate, leaves_[leaf].tensor); };
  const bool is_determined = form == Form::listed && is_narrow(target_, relation.numbers);
  const bool are_needed =
      known <= least_chance || is_determined ||
      (form == Form::listed && known < 0 && !leaves.empty() ? std::ranges::any_of(leaves, is_needed)
                                                            : std::ranges::all_of(leaves, is_needed));
  if (!is_near_miss() && !are_needed) {
    return false;
  }
  const bool is_made = form == Form::listed && !candidate.operands().empty();
  relation.words = candidate.name().empty() || is_made ? candidate.expression() : candidate.name();
  if (form <= Form::view && !is_copy(candidate, leaves)) {
    relation.words += ", but for float32's rounding";
  }
  keep(std::move(relation), leaves);
  return true;
}

void Search::keep(Form form, const std::string& words, const std::vector<std::size_t>& leaves, double chance) {
  ++tried_;
  if (chance + std::log10(static_cast<double>(tried_)) <= least_chance) {
    Relation relation;
    relation.form = form;
    relation.words = words;
    relation.chance = chance;
    keep(std::move(relation), leaves);
  }
}

void Search::keep(Relation relation, const std::vector<std::size_t>& leaves) {
  relation.is_rooted = relation.form < Form::fit;
  relation.fitting = fitting(leaves);
  relation.leaves = leaves.size();
  for (const std::size_t leaf : leaves) {
    const Source& source = leaves_[leaf].source;
    relation.nearest = std::max({relation.nearest, source.position, source.shown});
    relation.is_rooted = relation.is_rooted && source.is_rooted;
    if (source.position > 0) {
      relation.sources.push_back(source.position);
    }
  }
  if (!best_ || is_better(relation, *best_)) {
    best_ = std::move(relation);
  }
}

std::vector<std::size_t> Search::leaves_of(const Tensor& tensor) const {
  std::vector<std::size_t> found;
  std::unordered_set<const void*> seen;
  const auto walk = [&](const auto& self, const Tensor& node) -> void {
    if (!seen.insert(node.id()).second) {
      return;
    }
    const auto leaf = std::ranges::find(leaves_, node.id(), [](const Leaf& one) { return one.tensor.id(); });
    const auto place = static_cast<std::size_t>(leaf - leaves_.begin());
    if (leaf != leaves_.end() && std::ranges::find(found, place) == found.end()) {
      found.push_back(place);
    }
    for (const Tensor& operand : node.operands()) {
      self(self, operand);
    }
  };
  walk(walk, tensor);
  return found;
}

bool Search::is_wide(const std::vector<Interval>& cells) const {
  constexpr double usual = 3;  // half units of the last digit: what rounded operands make of a product
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Interval printed = target_.cell(i);
    if (std::abs(printed.middle() - cells[i].middle()) > usual * std::max(printed.radius(), slack(printed.low))) {
      return true;
    }
  }
  return false;
}

/// Queries meet keys, and weights meet values.
int Search::fitting(const std::vector<std::size_t>& leaves) const {
  const auto which = [&](std::size_t i) { return leaves_[leaves[i]].source.which; };
  int count = 0;
  for (std::size_t i = 0; i + 1 < leaves.size(); ++i) {
    count += (which(i) == 'q' && which(i + 1) == 'k') || (which(i) == 0 && which(i + 1) == 'v') ? 1 : 0;
  }
  return count;
}

/// What is printed twice was not computed twice: not one digit may differ.
bool Search::is_copy(const Tensor& candidate, const std::vector<std::size_t>& leaves) {
  constexpr double of_reading = 1e-12;
  const bool are_printed =
      std::ranges::all_of(leaves, [&](std::size_t leaf) { return leaves_[leaf].source.position > 0; });
  for (std::size_t i = 0; are_printed && i < target_.size(); ++i) {
    if (!meet_within(target_.cell(i), bounds_.cell(candidate, static_cast<std::int64_t>(i)), of_reading)) {
      return false;
    }
  }
  return true;
}

bool Search::depends_on(const Tensor& candidate, const Tensor& leaf) {
  const auto is_other_if_moved = [&](double sign) {
    std::vector<double> others;
    const std::int64_t count = element_count(leaf.shape());
    for (std::int64_t i = 0; i < count; ++i) {
      const double turn = 0.618 * static_cast<double>(i + 1);
      others.push_back(sign * (bounds_.cell(leaf, i).middle() + 1 + turn - std::floor(turn)));
    }
    const Observed moved_leaf = exactly(leaf.shape(), std::move(others));
    const Tensor other = leaf_of(moved_leaf, "");
    bounds_.observe(other, moved_leaf.cells());
    const Tensor moved =
        Rewriter([&](const Tensor& was, const Tensor& is) { return was.id() == leaf.id() ? other : is; })(candidate);
    bool is_other = false;
    for (std::size_t i = 0; i < target_.size() && !is_other; ++i) {
      is_other = !meet(target_.cell(i), bounds_.cell(moved, static_cast<std::int64_t>(i)));
    }
    bounds_.forget(other);
    return is_other;
  };
  return is_other_if_moved(1) || is_other_if_moved(-1);  // where all grow, the greatest may stay
}

double Search::chance_of(Form form, const Tensor& candidate, const std::vector<Interval>& cells,
                         const std::vector<std::int64_t>& failing) {
  if (leaves_of(candidate).empty() && form != Form::listed) {
    return chance_of_pattern(target_);
  }
  const Tensor& total = candidate.kind() == Kind::scaled ? candidate.operands()[0] : candidate;
  if (total.kind() == Kind::sum) {
    // A sum of k numbers ranges over their deviation times the root of k, a mean over as much by k. Sums that are all
    // alike are those of many others: vectors of ones, and rows of weights.
    const Tensor& parts = total.operands()[0];
    const double divisor = candidate.kind() == Kind::scaled ? candidate.operation().facts().value : 1;
    const auto count = static_cast<double>(element_count(parts.shape())) / static_cast<double>(cells.size());
    const double range =
        is_constant(target_) || is_lost(target_, cells) ? 0 : deviation_of(bounded(parts)) * std::sqrt(count) / divisor;
    return chance_of_holding(target_, cells, failing, range) + log_ways(cells.size(), failing.size());
  }
  return chance_of_holding(target_, cells, failing) + log_ways(cells.size(), failing.size());
}

}  // namespace attn::verify
