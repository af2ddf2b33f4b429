#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/read/read.hpp"
#include "tensor/tensor.hpp"
#include "verify/page/printed.hpp"

namespace attn::verify {

/// A number known up to rounding.
struct Interval {
  double low = 0;
  double high = 0;

  double middle() const { return low == high ? low : (low + high) / 2; }
  double radius() const { return low == high ? 0 : (high - low) / 2; }
  /// The largest absolute value.
  double size() const { return std::max(std::abs(low), std::abs(high)); }
};

/// An undefined result: infinity times zero, or zero divided by zero.
inline constexpr Interval no_number = {NAN, NAN};

inline bool is_whole(const Interval& x) { return x.low == x.high && x.low == std::floor(x.low); }

/// The amount by which float32 arithmetic may change a number of this size.
inline double slack(double value) { return 3e-7 * std::max(1.0, std::abs(value)); }

/// Returns true if two numbers may be equal: the intervals meet, with a slack in proportion to them, as many numbers
/// are small.
inline bool meet(const Interval& a, const Interval& b) {
  constexpr double least = 1.2e-38;  // less is 0 to most kernels
  const double room = slack(1) * a.size() + least;
  return std::isinf(a.low) || std::isinf(b.low) ? a.low == b.low : a.low <= b.high + room && b.low <= a.high + room;
}

/// The interval from the smallest to the largest number; no_number if any is undefined.
inline Interval hull(double a, double b, double c, double d) {
  const bool is_defined = !std::isnan(a) && !std::isnan(b) && !std::isnan(c) && !std::isnan(d);
  return is_defined ? Interval{std::min({a, b, c, d}), std::max({a, b, c, d})} : no_number;
}

inline Interval times(const Interval& a, const Interval& b) {
  return hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

/// a / b; no_number if b may be 0.
inline Interval over(const Interval& a, const Interval& b) {
  const bool may_be_0 = b.low <= 0 && b.high >= 0;
  return may_be_0 ? no_number : hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

using files::SharedNumbers;

/// What somebody shows of a tensor, on a page or in a file: its numbers, each up to rounding, row-major.
struct Observed {
  std::string name = {};     ///< in a file: "attn_scores", "head_1/keys"; empty on a page
  Shape shape;               ///< on a page: of the shown items
  std::string dtype = {};    ///< as in the file; on a page "bool" or empty
  SharedNumbers values;      ///< as they are shown; nan also where a number is damaged
  SharedNumbers radii = {};  ///< half a unit of the last digit, or a tolerance; nan where damaged; empty if exact
  std::vector<bool> are_scientific = {};            ///< printed with an exponent, each; empty if none is
  std::vector<std::int64_t> shown_before_gap = {};  ///< for each axis, the items before "...", or -1; empty if all are

  bool has_gap() const { return !shown_before_gap.empty(); }
  std::size_t rank() const { return shape.size(); }
  std::size_t size() const { return values.size(); }
  bool is_scientific(std::size_t i) const { return !are_scientific.empty() && are_scientific[i]; }
  /// One unit of a cell's last digit; 0 if it is exact.
  double unit(std::size_t i) const { return radii.empty() ? 0 : 2 * radii[i]; }
  /// Between which numbers the true one lies.
  Interval cell(std::size_t i) const {
    const double radius = radii.empty() ? 0 : radii[i];
    return {values[i] - radius, values[i] + radius};
  }
  std::vector<Interval> cells() const;
};

/// Converts a position to the standard library's index type.
inline std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

/// A printed tensor's numbers, each with half a unit of its last digit on either side; none of a size, or if it is
/// printed in rows of different lengths. True is 1.
std::optional<Observed> shown_of(const Printed& printed);

/// Returns true if a tensor of this shape may be shown so.
bool may_show(const Observed& observed, const Shape& shape);

/// The numbers of a tensor that are shown in the same places; its shape must fit. No others are computed if there is a
/// gap.
std::vector<double> shown_values(const Observed& observed, const Tensor& tensor);

/// The row-major position of a shown cell in a tensor of this shape.
std::int64_t shown_position(const Observed& observed, const Shape& shape, std::int64_t cell);

/// A number in the notation of a shown one with this unit: with as many digits.
std::string written_like(double shown, double unit, bool is_scientific, double value);

/// A tensor's numbers, row-major, whatever its dtype.
std::vector<double> values_of(const Tensor& tensor);

/// A tensor with this name and the observed numbers.
Tensor leaf_of(const Observed& observed, const std::string& name);

/// The bool tensor of a shape that is True at these positions.
Tensor mask_at(const Shape& shape, const std::vector<bool>& places, const std::string& words);

}  // namespace attn::verify
