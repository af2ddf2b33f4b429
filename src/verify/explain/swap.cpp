#include "verify/explain/swap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/bound/observed.hpp"
#include "verify/explain/compare.hpp"

namespace attn::verify {
namespace {

/// Tries one axis: whether swapping two of its items explains all the differing cells.
class SwapOnAxis {
 public:
  SwapOnAxis(const Printed& printed, std::span<const double> values, std::span<const std::int64_t> differing,
             const Shape& strides, std::size_t axis)
      : printed_(printed),
        values_(values),
        strides_(strides),
        axis_(axis),
        first_(item(differing.front(), axis)),
        second_(first_) {
    for (const std::int64_t position : differing) {
      const std::int64_t here = item(position, axis);
      second_ = second_ == first_ ? here : second_;
      possible_ = possible_ && (here == first_ || here == second_);
      if (!possible_) {
        return;
      }
    }
    possible_ = first_ != second_;
    find_part(differing);
  }

  bool explains() const {
    const std::int64_t apart = strides_[axis_] * (second_ - first_);
    for (std::int64_t i = 0; possible_ && i < static_cast<std::int64_t>(printed_.cells.size()); ++i) {
      if (is_within(i)) {
        const std::int64_t other = i + (item(i, axis_) == first_ ? apart : -apart);
        if (compare_cell(printed_.cells[at(i)], values_[at(other)]) != CellVerdict::holds) {
          return false;
        }
      }
    }
    return possible_;
  }

  Change change() const {
    Change change{Change::Kind::swapped, part_, part_, 1};
    change.at.push_back(first_);
    change.with.push_back(second_);
    return change;
  }

 private:
  std::int64_t item(std::int64_t position, std::size_t axis) const {
    return position / strides_[axis] % printed_.shape[axis];
  }

  /// The items of outer axes that all differing cells share.
  void find_part(std::span<const std::int64_t> differing) {
    for (std::size_t outer = 0; possible_ && outer < axis_; ++outer) {
      const std::int64_t shared = item(differing.front(), outer);
      const bool is_shared = std::all_of(differing.begin(), differing.end(),
                                         [&](std::int64_t position) { return item(position, outer) == shared; });
      part_.push_back(is_shared ? shared : -1);
    }
  }

  bool is_within(std::int64_t position) const {
    for (std::size_t outer = 0; outer < axis_; ++outer) {
      if (part_[outer] >= 0 && part_[outer] != item(position, outer)) {
        return false;
      }
    }
    return item(position, axis_) == first_ || item(position, axis_) == second_;
  }

  const Printed& printed_;
  std::span<const double> values_;
  const Shape& strides_;
  std::size_t axis_;
  std::int64_t first_;
  std::int64_t second_;
  bool possible_ = true;
  Shape part_;
};

/// Whether the differing cells stand in two items of an axis of `size`, whose items are `inner` cells each, and the
/// first of them has the other item's number. Most tensors fail here, at a few of their cells.
bool may_be_swapped(const Printed& printed, std::span<const double> values, std::int64_t size, std::int64_t inner) {
  std::int64_t first = -1;
  std::int64_t second = -1;
  std::size_t first_cell = 0;
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    if (compare_cell(printed.cells[i], values[i]) == CellVerdict::holds) {
      continue;
    }
    const std::int64_t here = static_cast<std::int64_t>(i) / inner % size;
    if (first < 0) {
      first = here;
      first_cell = i;
    } else if (here != first && second < 0) {
      second = here;
      const std::int64_t other = static_cast<std::int64_t>(first_cell) + inner * (second - first);
      if (compare_cell(printed.cells[first_cell], values[at(other)]) != CellVerdict::holds) {
        return false;
      }
    } else if (here != first && here != second) {
      return false;
    }
  }
  return second >= 0;
}

std::vector<std::int64_t> differing_cells(const Printed& printed, std::span<const double> values) {
  std::vector<std::int64_t> differing;
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    if (compare_cell(printed.cells[i], values[i]) != CellVerdict::holds) {
      differing.push_back(static_cast<std::int64_t>(i));
    }
  }
  return differing;
}

}  // namespace

std::optional<Change> find_swap(const Printed& printed, std::span<const double> values) {
  std::int64_t inner = static_cast<std::int64_t>(printed.cells.size());
  for (std::size_t axis = 0; axis < printed.shape.size(); ++axis) {
    inner /= std::max<std::int64_t>(printed.shape[axis], 1);
    if (!may_be_swapped(printed, values, printed.shape[axis], inner)) {
      continue;
    }
    const Shape strides = row_major_strides(printed.shape);
    const SwapOnAxis swap(printed, values, differing_cells(printed, values), strides, axis);
    if (swap.explains()) {
      return swap.change();
    }
  }
  return std::nullopt;
}

}  // namespace attn::verify
