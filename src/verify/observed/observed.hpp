#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/read.hpp"
#include "tensor/tensor.hpp"
#include "verify/observed/interval.hpp"
#include "verify/page/printed.hpp"

namespace attn::verify {

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
