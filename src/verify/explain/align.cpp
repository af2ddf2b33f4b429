#include "verify/explain/align.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace attn::verify {
namespace {

constexpr std::int64_t price_of_change = 2 * weight_of_cell;

std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

std::int64_t weight(CellVerdict verdict) {
  return verdict == CellVerdict::holds ? 0 : verdict == CellVerdict::last_digit ? 1 : weight_of_cell;
}

// ---- Lost and added rows ------------------------------------------------------------------------

/// What it costs to lay each of the shorter one's parts on the longer one's, `shift` parts further on.
std::vector<std::int64_t> weights_of_parts(const Printed& printed, const Numbers& numbers, const Alignment& alignment,
                                           std::int64_t shift) {
  const std::int64_t parts = std::min(alignment.step_parts, alignment.page_parts);
  const bool page_is_longer = alignment.page_parts > alignment.step_parts;
  std::vector<std::int64_t> weights(at(parts));
  for (std::int64_t outer = 0; outer < alignment.outer; ++outer) {
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t page_part = outer * alignment.page_parts + part + (page_is_longer ? shift : 0);
      const std::int64_t step_part = outer * alignment.step_parts + part + (page_is_longer ? 0 : shift);
      for (std::int64_t i = 0; i < alignment.inner; ++i) {
        weights[at(part)] += weight(compare_cell(printed.cells[at(page_part * alignment.inner + i)],
                                                 numbers.values[at(step_part * alignment.inner + i)]));
      }
    }
  }
  return weights;
}

/// How large a part of the shape begins at the position: the number of cells of a row, slice, ...
std::int64_t boundary(std::int64_t position, const Shape& shape) {
  std::int64_t block = 1;
  for (std::size_t axis = shape.size(); axis-- > 1 && position % (block * shape[axis]) == 0;) {
    block *= shape[axis];
  }
  return block;
}

/// Finds where the gap is best. Of equally good places in a flat alignment a row's beginning is the best.
void place_gap(Alignment& alignment, const Printed& printed, const Numbers& numbers, bool flat) {
  const std::int64_t shift = std::abs(alignment.step_parts - alignment.page_parts);
  const auto head = weights_of_parts(printed, numbers, alignment, 0);
  const auto tail = weights_of_parts(printed, numbers, alignment, shift);
  std::int64_t cost = 0;
  for (const std::int64_t part : tail) {
    cost += part;
  }
  std::pair<std::int64_t, std::int64_t> best{cost, -boundary(0, numbers.shape)};
  alignment.first = 0;
  for (std::size_t part = 0; part < head.size(); ++part) {
    cost += head[part] - tail[part];
    const auto first = static_cast<std::int64_t>(part) + 1;
    const std::pair here{cost, flat ? -boundary(first, numbers.shape) : std::int64_t{0}};
    if (here < best) {
      best = here;
      alignment.first = first;
    }
  }
}

Tally tally_of(const Printed& printed, const Numbers& numbers, const Alignment& alignment) {
  Tally result;
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    const std::int64_t position = alignment.in_step(static_cast<std::int64_t>(i));
    if (position >= 0) {
      const CellVerdict verdict = compare_cell(printed.cells[i], numbers.values[at(position)]);
      result.differs += verdict == CellVerdict::differs ? 1 : 0;
      result.last_digit += verdict == CellVerdict::last_digit ? 1 : 0;
    }
  }
  return result;
}

/// The part of the shape that begins at a position and is `cells` cells, or several of its like in a row.
Change flat_change(Change::Kind kind, std::int64_t position, std::int64_t cells, const Shape& shape) {
  std::int64_t block = boundary(position, shape);
  while (cells % block != 0) {
    std::int64_t smaller = 1;  // the next smaller part of the shape
    for (std::size_t axis = shape.size(); axis-- > 1 && smaller * shape[axis] < block;) {
      smaller *= shape[axis];
    }
    block = smaller;
  }
  Shape index = index_of(position, shape);
  std::int64_t inner = 1;
  while (inner < block) {
    inner *= shape[index.size() - 1];
    index.pop_back();
  }
  return {kind, index, {}, cells / block};
}

Change::Kind kind_of(const Alignment& alignment) {
  return alignment.page_parts < alignment.step_parts   ? Change::Kind::lost
         : alignment.page_parts > alignment.step_parts ? Change::Kind::added
                                                       : Change::Kind::reshaped;
}

std::optional<Fit> fit_aligned(const Printed& printed, const Numbers& numbers, Alignment alignment,
                               std::optional<std::size_t> axis) {
  const std::int64_t shorter = std::min(alignment.page_parts, alignment.step_parts);
  const std::int64_t lacking = std::max(alignment.page_parts, alignment.step_parts) - shorter;
  if (shorter == 0 || lacking > shorter) {
    return std::nullopt;
  }
  place_gap(alignment, printed, numbers, !axis);
  Fit fit{alignment, tally_of(printed, numbers, alignment), {}, 0};
  const std::int64_t laid = alignment.outer * shorter * alignment.inner;
  if (fit.tally.differs * 4 > laid || laid < 2) {
    return std::nullopt;
  }
  fit.cost = weight(fit.tally) + price_of_change;
  fit.change.kind = kind_of(alignment);
  if (fit.change.kind == Change::Kind::reshaped) {
    return fit;
  }
  if (axis) {
    fit.change.at.assign(*axis, -1);
    fit.change.at.push_back(alignment.first);
    fit.change.count = lacking;
  } else if (!numbers.shape.empty()) {
    fit.change = flat_change(fit.change.kind, alignment.first, lacking, numbers.shape);
  }
  return fit;
}

/// The only axis in which the shapes differ.
std::optional<std::size_t> differing_axis(const Shape& a, const Shape& b) {
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis] != b[axis]) {
      if (found) {
        return std::nullopt;
      }
      found = axis;
    }
  }
  return found;
}

Alignment flat_alignment(const Printed& printed, const Numbers& numbers) {
  return {1, static_cast<std::int64_t>(numbers.values.size()), static_cast<std::int64_t>(printed.cells.size()), 1, 0};
}

Alignment axis_alignment(const Shape& page, const Shape& step, std::size_t axis) {
  Alignment alignment{1, step[axis], page[axis], 1, 0};
  for (std::size_t other = 0; other < page.size(); ++other) {
    if (other != axis) {
      (other < axis ? alignment.outer : alignment.inner) *= page[other];
    }
  }
  return alignment;
}

// ---- Swapped rows -------------------------------------------------------------------------------

/// Tries one axis: whether swapping two of its items explains all the differing cells.
class SwapOnAxis {
 public:
  SwapOnAxis(const Printed& printed, std::span<const double> values, std::span<const std::int64_t> differing,
             std::size_t axis)
      : printed_(printed), values_(values), strides_(row_major_strides(printed.shape)), axis_(axis),
        first_(item(differing.front(), axis)), second_(first_) {
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
      const bool is_shared = std::all_of(differing.begin(), differing.end(), [&](std::int64_t position) {
        return item(position, outer) == shared;
      });
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
  Shape strides_;
  std::size_t axis_;
  std::int64_t first_;
  std::int64_t second_;
  bool possible_ = true;
  Shape part_;
};

std::optional<Change> find_swap(const Printed& printed, std::span<const double> values, const Tally& found) {
  if (found.differs + found.last_digit < 2) {
    return std::nullopt;
  }
  std::vector<std::int64_t> differing;
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    if (compare_cell(printed.cells[i], values[i]) != CellVerdict::holds) {
      differing.push_back(static_cast<std::int64_t>(i));
    }
  }
  for (std::size_t axis = 0; axis < printed.shape.size(); ++axis) {
    const SwapOnAxis swap(printed, values, differing, axis);
    if (swap.explains()) {
      return swap.change();
    }
  }
  return std::nullopt;
}

}  // namespace

std::int64_t Alignment::in_step(std::int64_t page_position) const {
  const std::int64_t cell = page_position % inner;
  const std::int64_t part = page_position / inner % page_parts;
  const std::int64_t lacking = step_parts - page_parts;
  std::int64_t step_part = part;
  if (part >= first) {
    step_part = part + lacking;
    if (lacking < 0 && part < first - lacking) {
      return -1;
    }
  }
  return (page_position / inner / page_parts * step_parts + step_part) * inner + cell;
}

std::vector<std::int64_t> Alignment::lost() const {
  std::vector<std::int64_t> positions;
  for (std::int64_t block = 0; block < outer && step_parts > page_parts; ++block) {
    const std::int64_t begin = (block * step_parts + first) * inner;
    for (std::int64_t i = 0; i < (step_parts - page_parts) * inner; ++i) {
      positions.push_back(begin + i);
    }
  }
  return positions;
}

Fit fit_same_shape(const Printed& printed, std::span<const double> values) {
  const auto cells = static_cast<std::int64_t>(printed.cells.size());
  Fit fit{{1, cells, cells, 1, 0}, tally(printed.cells, values, cells), {}, 0};
  fit.cost = weight(fit.tally);
  if (const auto swap = fit.tally.differs > 0 ? find_swap(printed, values, fit.tally) : std::nullopt) {
    fit.change = *swap;
    fit.cost = std::min(fit.cost, price_of_change);
  }
  return fit;
}

std::optional<Fit> fit_other_shape(const Printed& printed, const Numbers& numbers) {
  if (has_gap(printed) || !same_kind(printed, numbers) || printed.cells.empty() || numbers.values.empty()) {
    return std::nullopt;
  }
  if (!is_regular(printed)) {
    return fit_aligned(printed, numbers, flat_alignment(printed, numbers), std::nullopt);
  }
  if (is_regular(printed) && printed.shape.size() == numbers.shape.size()) {
    if (const auto axis = differing_axis(printed.shape, numbers.shape)) {
      return fit_aligned(printed, numbers, axis_alignment(printed.shape, numbers.shape, *axis), axis);
    }
  }
  if (printed.cells.size() == numbers.values.size()) {
    return fit_aligned(printed, numbers, flat_alignment(printed, numbers), std::nullopt);
  }
  return std::nullopt;
}

}  // namespace attn::verify
