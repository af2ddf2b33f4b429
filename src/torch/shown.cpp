#include "torch/shown.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tensor/tensor.hpp"

namespace attn::torch {
namespace {

ShownItems edges_of(std::int64_t size, std::int64_t edge) {
  if (edge >= size - size / 2) {
    return {size, size, size, false};
  }
  return {edge, size - edge, size, true};
}

/// Parts that hold all shown elements: whole rows at one edge or the other of each outer axis.
std::vector<Box> shown_rows(const std::vector<ShownItems>& axes) {
  std::vector<Box> boxes = {{}};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const ShownItems& items = axes[axis];
    const Range whole = {0, items.size};
    const bool is_cut = items.cut && axis + 1 < axes.size();
    const std::vector<Range> ranges =
        is_cut ? std::vector<Range>{{0, items.head_end}, {items.tail_begin, items.size}} : std::vector{whole};
    std::vector<Box> longer;
    for (const Box& box : boxes) {
      for (const Range& range : ranges) {
        longer.push_back(box);
        longer.back().push_back(range);
      }
    }
    boxes = std::move(longer);
  }
  return boxes;
}

template <class Element>
Block<Element> elements_shown(const Tensor& tensor, const std::vector<ShownItems>& axes) {
  Shape counts;
  for (const ShownItems& items : axes) {
    counts.push_back(items.count());
  }
  auto shown = Block<Element>::unwritten(counts);
  for (const Box& box : shown_rows(axes)) {
    const Array rows = tensor.part(box);
    const Element* const data = std::get<Block<Element>>(*rows.storage).data();
    Shape places = box_shape(box);
    places.back() = 1;
    for (std::int64_t row = 0; row < element_count(places); ++row) {
      const Shape index = index_at(row, places);
      std::int64_t from = rows.offset;
      std::int64_t to = 0;
      for (std::size_t axis = 0; axis + 1 < axes.size(); ++axis) {
        from += index[axis] * rows.strides[axis];
        to = (to + axes[axis].rank(box[axis].begin + index[axis])) * counts[axis + 1];
      }
      for (std::int64_t rank = 0; rank < counts.back(); ++rank) {
        shown.data()[to + rank] = data[from + axes.back().item(rank) * rows.strides.back()];
      }
    }
  }
  return shown;
}

}  // namespace

Contents shown_elements(const Tensor& tensor, const std::vector<ShownItems>& axes) {
  switch (tensor.dtype()) {
    case DType::boolean: return elements_shown<bool>(tensor, axes);
    case DType::int64: return elements_shown<std::int64_t>(tensor, axes);
    case DType::float32: break;
  }
  return elements_shown<float>(tensor, axes);
}

std::vector<ShownItems> shown_items(const Shape& shape, const PrintOptions& options) {
  const bool is_summarised = element_count(shape) > options.threshold;
  std::vector<ShownItems> axes;
  for (const std::int64_t size : shape) {
    axes.push_back(edges_of(size, is_summarised ? options.edgeitems : size));
  }
  return axes;
}

}  // namespace attn::torch
