#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "verify/observed/observed.hpp"
#include "verify/port/layouts.hpp"
#include "verify/port/operands.hpp"

namespace attn::verify {

/// How far a number may be from the right one: atol + rtol * |right|. The defaults are those of
/// torch.testing.assert_close for float32.
struct Tolerance {
  double rtol = 1.3e-6;
  double atol = 1e-5;
  bool grows =
      true;  ///< with what float32 may be off by in all that a cell is made of; false where somebody says how far
};

/// A port's numbers compared with the right ones, cell by cell. nan equals nan; infinities of one sign are equal.
struct Comparison {
  std::int64_t cells = 0;
  std::vector<std::int64_t> mismatched;  ///< in order

  double greatest_absolute = 0;  ///< difference; infinite if only one of the two is a number
  std::int64_t absolute_at = 0;  ///< its cell
  double greatest_right = 0;     ///< finite number

  bool holds() const { return mismatched.empty(); }
  /// Returns true if all differences are numbers, and below 1 % of the greatest: what rounding may explain.
  bool is_near() const { return greatest_absolute < 1e-2 * greatest_right; }
};

/// Compares equally many numbers: only these cells or, if there are none, all.
Comparison compare(std::span<const double> theirs, std::span<const double> right, const Tolerance& tolerance,
                   std::span<const std::int64_t> cells = {});

/// Returns true if a number is within the tolerance of the right one.
bool is_held(double theirs, double right, const Tolerance& tolerance);

/// Returns true if arithmetic in another order of summation, or wider, may give the cells that are out of tolerance:
/// they miss the tensor's numbers `right` by its noise. Checks the farthest first, up to one that it may not give.
bool are_within(Noise& noise, std::span<const double> theirs, std::span<const double> right, const Tensor& tensor,
                const Comparison& comparison, const Tolerance& tolerance);

/// The right numbers, and how near a port's must be. Keeps the last tensors' numbers.
class Right {
 public:
  Right(const Tolerance& tolerance, std::int64_t heads) : tolerance_(tolerance), heads_(heads) {}

  SharedNumbers values(const Tensor& tensor);
  /// Finds the cells that are out of tolerance and that noise does not explain, and by how much.
  Comparison compare(const Laid& theirs, const Tensor& right);
  bool holds(const Laid& theirs, const Tensor& right);
  const Tolerance& tolerance() const { return tolerance_; }
  std::int64_t heads() const { return heads_; }

  /// Returns the first layout of theirs in which they hold; else none.
  std::optional<Laid> holding(const Observed& theirs, const Tensor& right);
  /// How much numbers differ from a step's, from 0 to 1; more if they are hidden where nothing is.
  double distance(const Laid& theirs, const Tensor& right);
  /// Returns true if there is a layout of theirs, whatever their numbers.
  bool has_layout(const Observed& theirs, const Tensor& right);
  /// Returns the layout with the fewest wrong numbers, and of several slices the most similar; none if no layout has
  /// the shape.
  std::optional<Laid> nearest(const Observed& theirs, const Tensor& right);

 private:
  struct Known {
    Tensor tensor;  ///< keeps its id from being another tensor's
    SharedNumbers values;
  };
  /// Its numbers are computed once a layout needs them.
  Target target_of(const Tensor& right) {
    return {right, SharedNumbers([this, right] { return values(right); }), heads_};
  }
  bool may_be_noise(const Comparison& plain, const Tensor& right) const;

  Tolerance tolerance_;
  std::int64_t heads_;
  Noise noise_;
  std::map<const void*, Known> known_;
  std::int64_t held_ = 0;  ///< numbers in known_
};

}  // namespace attn::verify
