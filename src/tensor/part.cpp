#include "tensor/tensor.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

namespace attn {

Box whole_box(const Shape& shape) {
  Box box;
  for (const std::int64_t size : shape) {
    box.push_back({0, size});
  }
  return box;
}

Box box_at(const Shape& index) {
  Box box;
  for (const std::int64_t i : index) {
    box.push_back({i, i + 1});
  }
  return box;
}

Shape box_shape(const Box& box) {
  Shape shape;
  for (const Range& range : box) {
    shape.push_back(range.size());
  }
  return shape;
}

Shape box_begin(const Box& box) {
  Shape index;
  for (const Range& range : box) {
    index.push_back(range.begin);
  }
  return index;
}

bool is_whole(const Box& box, const Shape& shape) { return box == whole_box(shape); }

bool contains(const Box& outer, const Box& inner) {
  return std::equal(outer.begin(), outer.end(), inner.begin(), inner.end(),
                    [](const Range& o, const Range& i) { return o.begin <= i.begin && i.end <= o.end; });
}

Box within(const Box& outer, const Box& inner) {
  Box box = inner;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    box[axis].begin -= outer[axis].begin;
    box[axis].end -= outer[axis].begin;
  }
  return box;
}

Array cut(const Array& array, const Box& box) {
  std::int64_t offset = array.offset;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    offset += box[axis].begin * array.strides[axis];
  }
  return Array(array, box_shape(box), array.strides, offset);
}

namespace {

/// The axes [begin, end) of a shape.
struct Axes {
  std::size_t begin;
  std::size_t end;
};

/// The first axis with several items; the last axis if there is none.
std::size_t outermost(const Shape& shape, Axes axes) {
  std::size_t axis = axes.begin;
  while (axis + 1 < axes.end && shape[axis] == 1) {
    ++axis;
  }
  return axis;
}

/// The number of elements in an item of the outermost axis.
std::int64_t inner_size(const Shape& shape, Axes axes) {
  const auto first = shape.begin() + static_cast<std::ptrdiff_t>(outermost(shape, axes)) + 1;
  return std::accumulate(first, shape.begin() + static_cast<std::ptrdiff_t>(axes.end), std::int64_t{1},
                         std::multiplies<>());
}

/// Sets the box to the elements [run.begin, run.end) of these axes, which are whole items of the outermost axis.
void set_run(Box& box, const Shape& shape, Axes axes, Range run) {
  for (std::size_t axis = axes.begin; axis < axes.end; ++axis) {
    box[axis] = {0, shape[axis]};
  }
  const std::int64_t inner = inner_size(shape, axes);
  box[outermost(shape, axes)] = {run.begin / inner, run.end / inner};
}

/// Maps a part of these axes of `to` to the axes of `from` with the same elements.
void reshape_axes(Box& part, const Shape& to, Axes to_axes, Box& box, const Shape& from, Axes from_axes) {
  if (to_axes.end - to_axes.begin == 1 && from_axes.end - from_axes.begin == 1) {
    box[from_axes.begin] = part[to_axes.begin];
    return;
  }
  const std::size_t outer = outermost(to, to_axes);
  const std::int64_t to_inner = inner_size(to, to_axes);
  const std::int64_t unit = std::lcm(to_inner, inner_size(from, from_axes));
  const std::int64_t all = to[outer] * to_inner;
  const Range run = {part[outer].begin * to_inner / unit * unit,
                     std::min(all, (part[outer].end * to_inner + unit - 1) / unit * unit)};
  set_run(part, to, to_axes, run);
  set_run(box, from, from_axes, run);
}

}  // namespace

Box reshaped_box(Box& part, const Shape& to, const Shape& from) {
  Box box = whole_box(from);
  if (element_count(from) == 0) {
    part = whole_box(to);
    return box;
  }
  Axes to_axes = {0, 0};
  Axes from_axes = {0, 0};
  while (to_axes.end < to.size() && from_axes.end < from.size()) {
    // The smallest groups of axes with equal numbers of elements.
    to_axes = {to_axes.end, to_axes.end + 1};
    from_axes = {from_axes.end, from_axes.end + 1};
    std::int64_t to_size = to[to_axes.begin];
    std::int64_t from_size = from[from_axes.begin];
    while (to_size != from_size) {
      if (to_size < from_size) {
        to_size *= to[to_axes.end++];
      } else {
        from_size *= from[from_axes.end++];
      }
    }
    reshape_axes(part, to, to_axes, box, from, from_axes);
  }
  for (std::size_t axis = to_axes.end; axis < to.size(); ++axis) {  // axes of size 1
    part[axis] = {0, to[axis]};
  }
  return box;
}

}  // namespace attn
