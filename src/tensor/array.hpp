#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attn {

/// The sizes of a tensor's axes, outermost first; also used for strides, counted in elements.
using Shape = std::vector<std::int64_t>;

/// Thrown if a tensor, or all tensors together, would not fit into memory.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The number of elements; throws TooLarge if it does not fit into 63 bits.
std::int64_t element_count(const Shape& shape);

/// The shape of what two tensors give element by element; none if PyTorch does not broadcast them.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

/// A whole tensor's numbers, row-major, and its shape.
template <class T>
class Block {
 public:
  using value_type = T;

  /// Zeros. Throws TooLarge if the number of elements does not fit into 63 bits.
  explicit Block(Shape shape)
      : shape_(std::move(shape)),
        size_(static_cast<std::size_t>(element_count(shape_))),
        values_(std::make_unique<T[]>(size_)) {}
  /// A block whose numbers the caller must all write.
  static Block unwritten(Shape shape) {
    const auto size = static_cast<std::size_t>(element_count(shape));
    return Block(std::move(shape), size, std::make_unique_for_overwrite<T[]>(size));
  }
  Block(const Block& other)
      : shape_(other.shape_), size_(other.size_), values_(std::make_unique_for_overwrite<T[]>(size_)) {
    std::copy_n(other.data(), size_, data());
  }
  Block(Block&&) noexcept = default;
  Block& operator=(Block other) noexcept {
    std::swap(shape_, other.shape_);
    std::swap(size_, other.size_);
    std::swap(values_, other.values_);
    return *this;
  }
  ~Block() = default;

  const Shape& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T* begin() { return data(); }
  const T* begin() const { return data(); }
  T* end() { return data() + size_; }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return values_[i]; }
  const T& operator[](std::size_t i) const { return values_[i]; }

 private:
  Block(Shape shape, std::size_t size, std::unique_ptr<T[]> values)
      : shape_(std::move(shape)), size_(size), values_(std::move(values)) {}

  Shape shape_;
  std::size_t size_;
  std::unique_ptr<T[]> values_;
};

/// A tensor's numbers.
using Contents = std::variant<Block<float>, Block<bool>, Block<std::int64_t>>;

enum class DType { float32, boolean, int64 };

/// The name in numpy and PyTorch: "float32", "bool", "int64".
std::string dtype_name(DType dtype);
std::int64_t element_size(DType dtype);

/// "[2, 6, 3]"
std::string shape_text(const Shape& shape);
/// "2, 6, 3": arguments of a call
std::string sizes_text(const Shape& shape);
/// A Python tuple: "()", "(6,)", "(2, 6)".
std::string tuple_text(const Shape& shape);

Shape row_major_strides(const Shape& shape);

/// The index of the element at `position` in row-major order.
Shape index_at(std::int64_t position, const Shape& shape);
/// The row-major position of an element.
std::int64_t position_of(const Shape& index, const Shape& shape);

/// Numbers in PyTorch's memory layout: a view shares its tensor's storage and differs in shape, strides and offset. The
/// layout decides which BLAS call computes a product.
struct Array {
  std::shared_ptr<const Contents> storage;
  Shape shape;
  Shape strides;
  std::int64_t offset = 0;

  explicit Array(Contents contents);
  Array(const Array& viewed, Shape shape, Shape strides, std::int64_t offset);

  bool is_contiguous() const;
  /// The same numbers in row-major order; shares the storage if it already has that order.
  Array contiguous() const;
  /// The numbers in row-major order, copied only if a view does not already hold them so.
  std::shared_ptr<const Contents> contents() const;
  /// The numbers for modification: the storage itself if nothing else holds it and it has no other numbers, else a
  /// copy.
  Block<float> own_floats() &&;
  /// The first float; throws std::bad_variant_access for other dtypes.
  const float* floats() const;
  /// One element as a double; True is 1. `index` has an entry for each axis.
  double value(const Shape& index) const;
  std::int64_t count() const { return element_count(shape); }
};

/// The strides that view `array` in another shape without copying; empty if there are none. Follows
/// at::detail::computeStride, whose choices for axes of size 1 affect the BLAS call.
Shape view_strides(const Array& array, const Shape& shape);

/// PyTorch's reshape: a view if possible, else a row-major copy.
Array reshape(const Array& array, const Shape& shape);

}  // namespace attn
