#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/read.hpp"
#include "verify/bound/bounds.hpp"
#include "verify/judge/compare.hpp"
#include "verify/judge/operands.hpp"
#include "verify/judge/unread.hpp"
#include "verify/propose/layouts.hpp"

namespace attn::port {

/// The order of axes in the words for a layout: "[T, B, D]"; empty where it is the tensor's own.
std::string order_in(const std::string& words);

/// How unlike numbers are those of a step, from 0 to 1; less where only -inf is another number, and more where no such
/// step has them: -inf where nothing is hidden, rows that sum to 1 where scores are.
double distance(const Laid& theirs, const Tensor& step, std::span<const double> right);

/// Whether the cells that a comparison with a tensor's numbers finds too far away may be what right arithmetic makes of
/// its operands, in another order of summation or wider: the farthest first, up to one that may not.
bool are_within(verify::Bounds& bounds, std::span<const double> theirs, const Tensor& right,
                const Comparison& comparison, const Tolerance& tolerance);

/// What numbers should be, and how near a port's must be to them. Tensors are computed once; of large ones, only the
/// last two are kept.
class Right {
 public:
  Right(const Tolerance& tolerance, std::int64_t heads, Unread unread = {})
      : tolerance_(tolerance), heads_(heads), unread_(std::move(unread)) {}

  /// The reference holds until the second call for another tensor.
  const std::vector<double>& values(const Tensor& tensor);
  /// The port's tensors without numbers. holding(), nearest() and layouts() read them if they must.
  Unread& unread() { return unread_; }
  /// Returns true if a sample shows that an unread tensor is far from this one of the same shape. It stays unread.
  bool is_far(const dump::Dumped& theirs, const Tensor& right) const;
  /// Returns true if two tensors of the port have the same shape and numbers. `held` is the step that `b` is, if `b` is
  /// right.
  bool are_same(const dump::Dumped& a, const dump::Dumped& b, const Tensor* held);
  /// Which cells are too far away, and how far.
  Comparison compare(const Laid& theirs, const Tensor& right);
  bool holds(const Laid& theirs, const Tensor& right);
  const Tolerance& tolerance() const { return tolerance_; }
  std::int64_t heads() const { return heads_; }

  /// The first way to lay theirs out as the tensor in which they hold; else none.
  std::optional<Laid> holding(const dump::Dumped& theirs, const Tensor& right);
  /// The way that has the fewest wrong numbers, and of several slices the likest; none where they have no such shape.
  std::optional<Laid> nearest(const dump::Dumped& theirs, const Tensor& right);
  /// From now on of several ways that a whole tensor may be laid out in, one that others are is the nearest.
  void set_usual(std::set<std::string> orders) { usual_ = std::move(orders); }
  /// All ways.
  std::vector<Laid> layouts(const dump::Dumped& theirs, const Tensor& right);

 private:
  struct Known {
    Tensor tensor;  ///< keeps its id from being another tensor's
    std::vector<double> values;
    std::size_t asked = 0;  ///< when it was last asked for
  };
  bool is_refuted(const dump::Dumped& theirs, const Tensor& right);
  void forget_large();
  void forget_large_bounds(const Tensor& tensor);
  bool is_bounded(const Tensor& right) const { return tolerance_.grows && !right.operands().empty(); }

  Tolerance tolerance_;
  std::int64_t heads_;
  verify::Bounds bounds_;
  std::map<const void*, Known> known_;
  std::size_t asked_ = 0;
  Unread unread_;
  std::set<std::string> usual_;
};

}  // namespace attn::port
