#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// A step's numbers, row-major.
struct Numbers {
  Shape shape;
  DType dtype = DType::float32;
  std::vector<double> values;
};

/// The numbers of a tensor, whatever its dtype.
Numbers numbers_of(const Tensor& tensor);

/// Whether both print True and False, or both do not.
bool same_kind(const Printed& printed, const Numbers& numbers);

/// Whether the step's shape is the one that is printed, as far as "..." shows it.
bool same_shape(const Printed& printed, const Shape& shape);

/// The step's numbers that stand where the printed cells do. The shapes must be the same.
std::vector<double> shown_values(const Printed& printed, const Numbers& numbers);

/// The index of an element; counts on along the first axis beyond the last one.
Shape index_of(std::int64_t position, const Shape& shape);

/// The element of an index.
std::int64_t position_of(const Shape& index, const Shape& shape);

}  // namespace attn::verify
