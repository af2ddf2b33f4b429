#include "present/shown_cells.hpp"

#include <cstddef>

namespace attn::present {
namespace {

std::optional<std::int64_t> rank_of(std::int64_t item, const torch::ShownItems& items) {
  if (item >= 0 && item < items.head_end) {
    return item;
  }
  const bool is_in_tail = item >= items.tail_begin && item < items.size;
  return is_in_tail ? std::optional(item - items.tail_begin + items.head_end) : std::nullopt;
}

}  // namespace

ShownCells::ShownCells(const Shape& shape, const torch::PrintOptions& print)
    : axes_(torch::shown_items(shape, print)), rows_(1), columns_(axes_.empty() ? 1 : axes_.back().count()) {
  for (std::size_t axis = 0; axis + 1 < axes_.size(); ++axis) {
    rows_ *= axes_[axis].count();
  }
}

Shape ShownCells::index(const render::GridCell& cell) const {
  Shape index(axes_.size());
  std::int64_t rank = cell.row * columns_ + cell.column;
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    index[axis] = axes_[axis].item(rank % axes_[axis].count());
    rank /= axes_[axis].count();
  }
  return index;
}

std::optional<render::GridCell> ShownCells::find(const Shape& index) const {
  if (empty() || index.size() != axes_.size()) {
    return std::nullopt;
  }
  std::int64_t rank = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const std::optional<std::int64_t> in_axis = rank_of(index[axis], axes_[axis]);
    if (!in_axis) {
      return std::nullopt;
    }
    rank = rank * axes_[axis].count() + *in_axis;
  }
  return render::GridCell{rank / columns_, rank % columns_};
}

}  // namespace attn::present
