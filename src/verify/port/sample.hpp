#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/port/compare.hpp"

namespace attn::verify {

/// Returns true if the tensor, or one that it is made of, is large.
bool is_long(const Tensor& tensor);

/// Some rows of a tensor, at which a proposed explanation is tried before all of it is computed. Empty for a tensor
/// that neither is large nor is made of large ones, unless it has many cells and some are wrong.
class Sample {
 public:
  Sample() = default;
  /// Takes rows from the first, middle and last matrix, and those around some of the wrong cells, of tensors with this
  /// one's shape.
  Sample(const Tensor& like, std::span<const std::int64_t> wrong);

  bool empty() const { return boxes_.empty(); }
  /// The positions of the sampled cells in row-major order.
  const std::vector<std::int64_t>& cells() const { return cells_; }
  /// The tensor's numbers at these cells; computes only the parts that they are in.
  std::vector<double> numbers(const Tensor& tensor) const;
  /// The same of row-major numbers.
  std::vector<double> numbers(std::span<const double> all) const;
  /// Returns true if the tensor has these of the row-major numbers, exactly.
  bool is_equal(const Tensor& tensor, std::span<const double> all) const;
  /// Returns true if the sample shows that the tensor does not explain the port's numbers, which are row-major.
  /// Differences that rounding may explain refute nothing.
  bool refutes(const Tensor& tensor, std::span<const double> theirs, const Tolerance& tolerance) const;

 private:
  using Use = std::function<bool(std::span<const std::int64_t> cells, std::vector<double> numbers)>;
  /// Passes on the tensor's numbers in each box, the last first, up to one for which `use` returns false.
  bool every_box(const Tensor& tensor, const Use& use) const;

  std::vector<Box> boxes_;
  std::vector<std::int64_t> cells_;
};

}  // namespace attn::verify
