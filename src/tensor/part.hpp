#pragma once

#include <cstdint>
#include <vector>

#include "tensor/array.hpp"

/// Parts of tensors: a tensor that is far larger than what it is made from is computed a part at a time.
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

/// All of a tensor.
Box whole_box(const Shape& shape);
/// One element.
Box box_at(const Shape& index);

/// The sizes of a box.
Shape box_shape(const Box& box);
/// Its first element.
Shape box_begin(const Box& box);
bool is_whole(const Box& box, const Shape& shape);
bool contains(const Box& outer, const Box& inner);
/// `inner` as it lies in `outer`.
Box within(const Box& outer, const Box& inner);

/// A part of an array, a view.
Array cut(const Array& array, const Box& box);

/// What has the elements of `part` of a tensor that is seen in the shape `to`: a part of the tensor in the shape
/// `from`, which has as many elements. Widens `part` to a whole number of the axes that were one, or are.
Box reshaped_box(Box& part, const Shape& to, const Shape& from);

/// What an operation needs of an operand for a part of its result.
struct Need {
  Box box;
  bool is_shared = false;  ///< other parts of the result need it too
};

}  // namespace attn
