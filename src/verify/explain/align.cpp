#include "verify/explain/align.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "verify/bound/observed.hpp"
#include "verify/explain/compare.hpp"

namespace attn::verify {
namespace {

constexpr std::int64_t price_of_change = 2 * weight_of_cell;

/// The cost of aligning each part of the shorter one with the longer one's part `shift` places further on.
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

/// The size of the part of the shape that begins at the position: the number of cells of a row, a slice, ...
std::int64_t boundary(std::int64_t position, const Shape& shape) {
  std::int64_t block = 1;
  for (std::size_t axis = shape.size(); axis-- > 1 && position % (block * shape[axis]) == 0;) {
    block *= shape[axis];
  }
  return block;
}

/// Finds the best place for the gap. Among equally good places in a flat alignment, the beginning of a row is best.
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
      result.add(compare_cell(printed.cells[i], numbers.values[at(position)]));
    }
  }
  return result;
}

/// Describes the part of the shape that begins at a position and has `cells` cells, or several such parts in a row.
Change flat_change(Change::Kind kind, std::int64_t position, std::int64_t cells, const Shape& shape) {
  std::int64_t block = boundary(position, shape);
  while (cells % block != 0) {
    std::int64_t smaller = 1;  // the size of the next smaller part of the shape
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
  return {kind, index, cells / block};
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

/// The only axis in which the shapes differ; empty otherwise.
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

/// Fits the tensor to the numbers that are shown at its cells' places.
std::optional<Fit> fit_shown(const Printed& printed, std::span<const double> values, std::int64_t most) {
  const auto cells = static_cast<std::int64_t>(printed.cells.size());
  Fit fit{{1, cells, cells, 1, 0}, compare(printed.cells, values, most), {}, 0};
  if (fit.tally.differs > most) {
    return std::nullopt;
  }
  fit.cost = weight(fit.tally);
  return fit;
}

}  // namespace

std::optional<Fit> fit_same_shape(const Printed& printed, const Numbers& numbers, std::int64_t most) {
  return has_gap(printed) ? fit_shown(printed, shown_values(printed, numbers), most)
                          : fit_shown(printed, numbers.values, most);
}

std::optional<Fit> fit_other_shape(const Printed& printed, const Numbers& numbers) {
  if (has_gap(printed) || !same_kind(printed, numbers) || printed.cells.empty() || numbers.values.empty()) {
    return std::nullopt;
  }
  if (!is_regular(printed)) {
    return fit_aligned(printed, numbers, flat_alignment(printed, numbers), std::nullopt);
  }
  if (printed.shape.size() == numbers.shape.size()) {
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
