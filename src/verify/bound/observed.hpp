#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/read.hpp"
#include "tensor/tensor.hpp"
#include "verify/bound/interval.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

using files::SharedNumbers;

/// What somebody shows of a tensor, on a page or in a file: its numbers, each up to rounding, row-major.
struct Observed {
  std::string name;  ///< in a file: "attn_scores", "head_1/keys"; empty on a page
  Shape shape;
  std::string dtype;                       ///< as in the file; empty on a page
  SharedNumbers values;                    ///< as they are shown
  SharedNumbers radii = {};                ///< how far the true number may be from each; empty where they are exact
  std::optional<std::int64_t> head = {};   ///< attention head, from 0, if the name states it unambiguously
  std::optional<std::int64_t> entry = {};  ///< entry of the batch, likewise

  std::size_t rank() const { return shape.size(); }
  std::size_t size() const { return values.size(); }
  /// Between which numbers the true one lies.
  Interval cell(std::size_t i) const {
    const double radius = radii.empty() ? 0 : radii[i];
    return {values[i] - radius, values[i] + radius};
  }
  std::vector<Interval> cells() const;
};

/// Converts a position to the standard library's index type.
inline std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

/// A printed tensor's numbers, each with half a unit of its last digit on either side; none if it is printed with "..."
/// or in rows of different lengths. True is 1.
std::optional<Observed> observed_of(const Printed& printed);

/// The printed numbers of any tensor, one after the other.
Observed in_a_row(const Printed& printed);

/// A file's tensor, as exact as it is written.
Observed observed_of(files::Dumped dumped);

/// Numbers that are known exactly.
Observed exactly(Shape shape, SharedNumbers values);

/// A tensor's numbers, row-major, whatever its dtype.
std::vector<double> values_of(const Tensor& tensor);

/// A tensor with this name and the observed numbers.
Tensor leaf_of(const Observed& observed, const std::string& name);

/// Item i of the first axis, which the result lacks.
Observed item_of(const Observed& x, std::int64_t i);

}  // namespace attn::verify
