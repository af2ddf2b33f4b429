#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/array.hpp"
#include "tensor/tensor.hpp"
#include "torch/print_options.hpp"

/// Which elements of a tensor print shows.
namespace attn::torch {

/// The items of one axis that are shown: [0, head_end), "..." if `cut`, then [tail_begin, size).
struct ShownItems {
  std::int64_t head_end;
  std::int64_t tail_begin;
  std::int64_t size;
  bool cut;

  std::int64_t count() const { return head_end + size - tail_begin; }
  /// The item that is shown as the `rank`th, from 0.
  std::int64_t item(std::int64_t rank) const { return rank < head_end ? rank : rank - head_end + tail_begin; }
  /// And as which an item that is shown is.
  std::int64_t rank(std::int64_t item) const { return item < head_end ? item : item - tail_begin + head_end; }
  /// Whether "..." stands before that one.
  bool dots_before(std::int64_t rank) const { return cut && rank == head_end; }
};

/// PyTorch's choice for each axis: everything, or in a tensor of more than options.threshold elements,
/// options.edgeitems at either end of an axis that has more than twice as many.
std::vector<ShownItems> shown_items(const Shape& shape, const PrintOptions& options);

/// Of a summarised tensor the elements that are shown, in the shape that they make without the others.
Contents shown_elements(const Tensor& tensor, const std::vector<ShownItems>& axes);

/// A row-major tensor, or one slice of it along its first axes. `data` are the elements of all its items, or of those
/// alone that are shown.
template <class Element>
struct View {
  const Element* data;
  std::span<const ShownItems> axes;
  std::int64_t size;          ///< of the whole tensor or slice, in elements
  std::int64_t position = 0;  ///< of its first element in the tensor
  bool is_all = true;

  /// Where an item of the first axis is among those that are there.
  std::int64_t place(std::int64_t item) const { return is_all ? item : axes.front().rank(item); }
  /// One of a vector's.
  const Element& element(std::int64_t item) const { return data[place(item)]; }
  View slice(std::int64_t item) const {
    const std::int64_t stride = size / axes.front().size;
    std::int64_t stored = 1;
    for (const ShownItems& items : axes.subspan(1)) {
      stored *= items.count();
    }
    return {data + place(item) * (is_all ? stride : stored), axes.subspan(1), stride, position + item * stride, is_all};
  }
};

template <class OnItem, class OnDots>
void for_each_item(const ShownItems& items, OnItem on_item, OnDots on_dots) {
  for (std::int64_t i = 0; i < items.head_end; ++i) {
    on_item(i);
  }
  if (items.cut) {
    on_dots();
  }
  for (std::int64_t i = items.tail_begin; i < items.size; ++i) {
    on_item(i);
  }
}

/// Visits the elements that are shown, in the order of the text.
template <class Element, class Visit>
void for_each_shown(const View<Element>& view, Visit& visit) {
  if (view.axes.empty()) {
    visit(*view.data);
  } else if (view.axes.size() == 1) {
    for_each_item(
        view.axes.front(), [&](std::int64_t i) { visit(view.element(i)); }, [] {});
  } else {
    for_each_item(
        view.axes.front(), [&](std::int64_t i) { for_each_shown(view.slice(i), visit); }, [] {});
  }
}

}  // namespace attn::torch
