#pragma once

#include <cstdint>
#include <vector>

#include "tensor/array.hpp"

/// Parts of tensors: a tensor far larger than its operands is computed one part at a time.
namespace attn {

/// The items [begin, end) of an axis.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// A range of each axis.
using Box = std::vector<Range>;

/// The box of a whole tensor.
Box whole_box(const Shape& shape);
/// The box of one element.
Box box_at(const Shape& index);

/// The sizes of a box.
Shape box_shape(const Box& box);
/// The index of the box's first element.
Shape box_begin(const Box& box);
bool is_whole(const Box& box, const Shape& shape);
bool contains(const Box& outer, const Box& inner);
/// The position of `inner` within `outer`.
Box within(const Box& outer, const Box& inner);

/// A part of an array, as a view.
Array cut(const Array& array, const Box& box);

/// Finds the part of a tensor of shape `from` with the elements of `part`, a part of the same tensor viewed in shape
/// `to`. Widens `part` to whole items of the axes that the reshape joins or splits.
Box reshaped_box(Box& part, const Shape& to, const Shape& from);

/// The part of an operand that an operation needs for a part of its result.
struct Need {
  Box box;
  bool is_shared = false;  ///< other parts of the result also need it
};

}  // namespace attn
