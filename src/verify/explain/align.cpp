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

/// Finds the best place for the gap.
void place_gap(Alignment& alignment, const Printed& printed, const Numbers& numbers) {
  const std::int64_t shift = std::abs(alignment.step_parts - alignment.page_parts);
  const auto head = weights_of_parts(printed, numbers, alignment, 0);
  const auto tail = weights_of_parts(printed, numbers, alignment, shift);
  std::int64_t cost = 0;
  for (const std::int64_t part : tail) {
    cost += part;
  }
  std::int64_t best = cost;
  alignment.first = 0;
  for (std::size_t part = 0; part < head.size(); ++part) {
    cost += head[part] - tail[part];
    if (cost < best) {
      best = cost;
      alignment.first = static_cast<std::int64_t>(part) + 1;
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

Alignment axis_alignment(const Shape& page, const Shape& step, std::size_t axis) {
  Alignment alignment{1, step[axis], page[axis], 1, 0};
  for (std::size_t other = 0; other < page.size(); ++other) {
    if (other != axis) {
      (other < axis ? alignment.outer : alignment.inner) *= page[other];
    }
  }
  return alignment;
}

/// Fits a tensor with parts lost or added along an axis, if most of the others hold.
std::optional<Fit> fit_along(const Printed& printed, const Numbers& numbers, std::size_t axis) {
  Alignment alignment = axis_alignment(printed.shape, numbers.shape, axis);
  const std::int64_t shorter = std::min(alignment.page_parts, alignment.step_parts);
  const std::int64_t lacking = std::max(alignment.page_parts, alignment.step_parts) - shorter;
  if (shorter == 0 || lacking > shorter) {
    return std::nullopt;
  }
  place_gap(alignment, printed, numbers);
  Fit fit{alignment, tally_of(printed, numbers, alignment), {}, 0};
  const std::int64_t laid = alignment.outer * shorter * alignment.inner;
  if (fit.tally.differs * 4 > laid || laid < 2) {
    return std::nullopt;
  }
  fit.cost = weight(fit.tally) + price_of_change;
  fit.change.kind = alignment.page_parts < alignment.step_parts ? Change::Kind::lost : Change::Kind::added;
  fit.change.at.assign(axis, -1);
  fit.change.at.push_back(alignment.first);
  fit.change.count = lacking;
  return fit;
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
  if (has_gap(printed) || !is_regular(printed) || !same_kind(printed, numbers) || printed.cells.empty() ||
      numbers.values.empty() || printed.shape.size() != numbers.shape.size()) {
    return std::nullopt;
  }
  const auto axis = differing_axis(printed.shape, numbers.shape);
  return axis ? fit_along(printed, numbers, *axis) : std::nullopt;
}

}  // namespace attn::verify
