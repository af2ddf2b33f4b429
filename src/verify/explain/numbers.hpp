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

/// Returns true if both or neither print True and False.
bool same_kind(const Printed& printed, const Numbers& numbers);

/// Returns true if the step's shape is the printed one, as far as "..." shows it.
bool same_shape(const Printed& printed, const Shape& shape);

/// The step's numbers at the printed cells' places. The shapes must be equal.
std::vector<double> shown_values(const Printed& printed, const Numbers& numbers);

/// The index of an element; continues along the first axis beyond the last element.
Shape index_of(std::int64_t position, const Shape& shape);

}  // namespace attn::verify
