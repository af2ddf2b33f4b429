#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tensor/tensor.hpp"

/// Views a float tensor's numbers row by row along its last axis.
namespace attn::render {

struct Numbers {
  explicit Numbers(const Tensor& tensor);

  std::span<const float> row(std::int64_t i) const;
  std::span<const float> all() const;
  /// The element at a position, counted row-major.
  float at(std::int64_t i) const { return all()[static_cast<std::size_t>(i)]; }

  std::shared_ptr<const Contents> contents;
  Shape shape;
  std::int64_t width;  ///< of the last axis; 1 for a scalar
  std::int64_t rows;
};

double row_total(std::span<const float> row);
bool are_equal(std::span<const float> a, std::span<const float> b);
/// Infinite if a difference is no number.
double largest_difference(std::span<const float> a, std::span<const float> b);
bool near(double a, double b, double tolerance = 1e-5);

/// Returns true if no number is negative and every row sums to 1.
bool has_weight_rows(const Numbers& numbers);

/// Returns true if the last two axes form a square of at least two rows.
bool has_squares(const Shape& shape);

/// Returns true if every number above the diagonal of the last two axes is `value`.
bool is_above_diagonal(const Numbers& numbers, float value);

/// "[0, 1]": the index of a row or, with `numbers.shape`, of an element, counted row-major.
std::string place_text(std::int64_t position, std::span<const std::int64_t> shape);

/// The position of the largest element; empty if it is not unique, or if all are NaN.
std::optional<std::int64_t> only_largest(std::span<const float> values);

}  // namespace attn::render
