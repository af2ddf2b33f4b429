#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verify/observed/observed.hpp"
#include "verify/port/compare.hpp"
#include "verify/port/layouts.hpp"
#include "verify/port/noise.hpp"
#include "verify/port/operands.hpp"

namespace attn::verify {

/// How much numbers differ from a step's, from 0 to 1; more if no such step has such numbers: -inf where nothing is
/// hidden, rows that sum to 1 for scores.
double distance(const Laid& theirs, const Tensor& step, std::span<const double> right);

/// Returns true if arithmetic in another order of summation, or wider, may give the cells that are out of tolerance:
/// they miss the tensor's numbers `right` by its noise. Checks the farthest first, up to one that it may not give.
bool are_within(Noise& noise, std::span<const double> theirs, std::span<const double> right, const Tensor& tensor,
                const Comparison& comparison, const Tolerance& tolerance);

/// The right numbers, and how near a port's must be. Computes a tensor once; keeps only the last two large ones.
class Right {
 public:
  /// `shows_few`: the report on a large dump shows few numbers.
  Right(const Tolerance& tolerance, std::int64_t heads, bool shows_few = false)
      : tolerance_(tolerance), heads_(heads), shows_few_(shows_few) {}

  /// The reference is valid until the second call for another tensor.
  const SharedNumbers& values(const Tensor& tensor);
  /// The same for a report that shows them; empty for a large dump, whose report shows few numbers.
  SharedNumbers shown_values(const Tensor& tensor) { return shows_few_ ? SharedNumbers() : values(tensor); }
  /// How a tensor that was found to hold, and whose numbers were not kept, compares with the right one; else null.
  const Comparison* known(const Observed& theirs, const Tensor& right) const;
  /// Finds the cells that are out of tolerance, and by how much; of what takes long also those that noise explains, and
  /// none if it holds.
  Comparison compare(const Laid& theirs, const Tensor& right, bool is_held);
  bool holds(const Laid& theirs, const Tensor& right);
  /// A mistake is not tried: it would take long.
  void leave_out(const std::string& mistake) { left_out_.insert(mistake); }
  std::size_t left_out() const { return left_out_.size(); }
  const Tolerance& tolerance() const { return tolerance_; }
  std::int64_t heads() const { return heads_; }

  /// Returns the first layout of theirs in which they hold; else none.
  std::optional<Laid> holding(const Observed& theirs, const Tensor& right);
  /// The distance of theirs, in a large tensor that of some rows.
  double distance(const Laid& theirs, const Tensor& right);
  /// Returns true if there is a layout of theirs, whatever their numbers.
  bool has_layout(const Observed& theirs, const Tensor& right);
  /// Returns the layout with the fewest wrong numbers, and of several slices the most similar; none if no layout has
  /// the shape.
  std::optional<Laid> nearest(const Observed& theirs, const Tensor& right);
  /// From now on prefers layouts that other tensors have.
  void set_usual(std::set<Order> orders) { usual_ = std::move(orders); }
  /// All layouts.
  std::vector<Laid> layouts(const Observed& theirs, const Tensor& right);

 private:
  struct Known {
    Tensor tensor;  ///< keeps its id from being another tensor's
    SharedNumbers values;
    std::list<const void*>::iterator use;
  };
  /// A comparison with a tensor, which keeps its id from being another tensor's.
  struct Held {
    Tensor right;
    Comparison comparison;
  };
  /// Its numbers are computed once a layout needs them.
  Target target_of(const Tensor& right) {
    return {right, SharedNumbers([this, right] { return values(right); }), heads_};
  }
  std::optional<Laid> held_in_parts(const Observed& theirs, const Tensor& right);
  bool may_be_turned(const Laid& turned, const Observed& theirs, const Tensor& right) const;
  bool is_refuted(const Observed& theirs, const Tensor& right);
  /// Forgets tensors that were last asked for long ago if all together are large; keeps two.
  void forget_others();
  bool has_noise(const Tensor& right) const { return tolerance_.grows && !right.operands().empty(); }

  Tolerance tolerance_;
  std::int64_t heads_;
  Noise noise_;
  std::map<const void*, Known> known_;
  std::list<const void*> used_;  ///< the known ones, in the order of use
  std::int64_t held_ = 0;        ///< numbers of the known ones
  bool shows_few_;
  std::map<std::pair<const Observed*, const void*>, Held> unkept_;  ///< whose numbers were not kept
  std::set<std::string> left_out_;
  std::set<Order> usual_;
};

}  // namespace attn::verify
