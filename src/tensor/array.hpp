#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <xtensor/xarray.hpp>

namespace attn {

/// The sizes of a tensor's axes, outermost first; also used for strides, counted in elements.
using Shape = std::vector<std::int64_t>;

/// A tensor's numbers, row-major.
using Contents = std::variant<xt::xarray<float>, xt::xarray<bool>, xt::xarray<std::int64_t>>;

enum class DType { float32, boolean, int64 };

/// numpy's and PyTorch's name: "float32", "bool", "int64".
std::string dtype_name(DType dtype);
std::int64_t element_size(DType dtype);

/// The number of elements; throws TooLarge where it does not fit into 63 bits.
std::int64_t element_count(const Shape& shape);

/// "[2, 6, 3]"
std::string shape_text(const Shape& shape);

Shape row_major_strides(const Shape& shape);

/// The index of the element that comes at `position` in row-major order.
Shape index_at(std::int64_t position, const Shape& shape);

/// Fresh zeros of the given shape.
template <class T>
xt::xarray<T> zeros(const Shape& shape) {
  return xt::xarray<T>(std::vector<std::size_t>(shape.begin(), shape.end()), T{});
}

/// Numbers laid out as PyTorch lays them out: a view shares the storage of the tensor it looks at and
/// differs in shape, strides and offset. The layout decides which BLAS call a product becomes.
struct Array {
  std::shared_ptr<const Contents> storage;
  Shape shape;
  Shape strides;
  std::int64_t offset = 0;

  explicit Array(Contents contents);
  Array(const Array& viewed, Shape shape, Shape strides, std::int64_t offset);

  bool is_contiguous() const;
  /// The same numbers in row-major order; the storage itself where it already is so.
  Array contiguous() const;
  /// The numbers in row-major order, copied only where a view does not already hold them so.
  std::shared_ptr<const Contents> contents() const;
  /// The first float; throws std::bad_variant_access for other dtypes.
  const float* floats() const;
  /// One element; True is 1. `index` has an entry for each axis.
  double value(const Shape& index) const;
  std::int64_t count() const { return element_count(shape); }
};

/// The strides with which `array` can be seen in another shape without copying; empty where it cannot.
/// Follows at::detail::computeStride, whose choices for axes of size 1 reach the BLAS call.
Shape view_strides(const Array& array, const Shape& shape);

/// PyTorch's reshape: a view where possible, else a row-major copy.
Array reshape(const Array& array, const Shape& shape);

/// A tensor, or all tensors together, would not fit into memory.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace attn
