#pragma once

#include <span>

#include "tensor/array.hpp"
#include "tensor/tensor.hpp"

/// How print shows a tensor, and which of its elements.
namespace attn::torch {

enum class SciMode { automatic, on, off };

/// The settings of torch.set_printoptions, with PyTorch's defaults.
struct PrintOptions {
  /// Digits after the decimal point.
  int precision = 4;
  /// Tensors with more elements than this are summarised.
  std::int64_t threshold = 1000;
  /// Items shown at either end of an axis of a summarised tensor.
  std::int64_t edgeitems = 3;
  /// Characters per line, to the extent that PyTorch observes it.
  std::int64_t linewidth = 80;
  SciMode sci_mode = SciMode::automatic;
};

/// The shown items of one axis: [0, head_end), "..." if `cut`, then [tail_begin, size).
struct ShownItems {
  std::int64_t head_end;
  std::int64_t tail_begin;
  std::int64_t size;
  bool cut;

  std::int64_t count() const { return head_end + size - tail_begin; }
  /// The shown item number `rank`, from 0.
  std::int64_t item(std::int64_t rank) const { return rank < head_end ? rank : rank - head_end + tail_begin; }
  /// The rank of a shown item.
  std::int64_t rank(std::int64_t item) const { return item < head_end ? item : item - tail_begin + head_end; }
  /// Returns true if "..." precedes the shown item.
  bool dots_before(std::int64_t rank) const { return cut && rank == head_end; }
};

/// PyTorch's choice for each axis: all items or, in a tensor of more than options.threshold elements, options.edgeitems
/// at either end of each axis with more than twice as many.
std::vector<ShownItems> shown_items(const Shape& shape, const PrintOptions& options);

/// The shown elements of a summarised tensor, in the shape that remains without the others.
Contents shown_elements(const Tensor& tensor, const std::vector<ShownItems>& axes);

/// A row-major tensor, or one slice of it along its first axes. `data` are the elements of all items, or of the shown
/// ones only.
template <class Element>
struct View {
  const Element* data;
  std::span<const ShownItems> axes;
  std::int64_t size;          ///< elements of the whole tensor or slice
  std::int64_t position = 0;  ///< position of its first element in the tensor
  bool is_all = true;

  /// The place of an item of the first axis in `data`.
  std::int64_t place(std::int64_t item) const { return is_all ? item : axes.front().rank(item); }
  /// An element of a vector.
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

/// Visits the shown elements in the text's order.
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
