#include "verify/explain/numbers.hpp"

#include "verify/bound/observed.hpp"

namespace attn::verify {

Numbers numbers_of(const Tensor& tensor) { return {tensor.shape(), tensor.dtype(), values_of(tensor)}; }

bool same_kind(const Printed& printed, const Numbers& numbers) {
  return printed.is_bool == (numbers.dtype == DType::boolean);
}

bool same_shape(const Printed& printed, const Shape& shape) {
  if (!is_regular(printed) || printed.shape.size() != shape.size()) {
    return false;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool gap = axis < printed.shown_before_gap.size() && printed.shown_before_gap[axis] >= 0;
    if (gap ? printed.shape[axis] >= shape[axis] : printed.shape[axis] != shape[axis]) {
      return false;
    }
  }
  return true;
}

std::vector<double> shown_values(const Printed& printed, const Numbers& numbers) {
  const Shape strides = row_major_strides(numbers.shape);
  std::vector<double> shown;
  shown.reserve(printed.cells.size());
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    const Shape index = index_of(static_cast<std::int64_t>(i), printed.shape);
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      const std::int64_t before = axis < printed.shown_before_gap.size() ? printed.shown_before_gap[axis] : -1;
      const bool after_gap = before >= 0 && index[axis] >= before;
      position += strides[axis] * (index[axis] + (after_gap ? numbers.shape[axis] - printed.shape[axis] : 0));
    }
    shown.push_back(numbers.values[static_cast<std::size_t>(position)]);
  }
  return shown;
}

Shape index_of(std::int64_t position, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = axis == 0 ? position : position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

}  // namespace attn::verify
