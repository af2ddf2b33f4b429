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

/// What numbers should be, and how near a port's must be to them. Everything is computed once.
class Right {
 public:
  Right(const Tolerance& tolerance, std::int64_t heads) : tolerance_(tolerance), heads_(heads) {}

  const std::vector<double>& values(const Tensor& tensor);
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
    Tensor tensor;  ///< so that no other one gets its id
    std::vector<double> values;
  };
  bool is_bounded(const Tensor& right) const { return tolerance_.grows && !right.operands().empty(); }

  Tolerance tolerance_;
  std::int64_t heads_;
  verify::Bounds bounds_;
  std::map<const void*, Known> known_;
  std::set<std::string> usual_;
};

}  // namespace attn::port
