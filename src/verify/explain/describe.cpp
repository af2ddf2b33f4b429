#include "verify/explain/describe.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/explain/align.hpp"
#include "verify/explain/compare.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// Lists the cells that are not as the step has them: those that differ, or else those that do in the last digit.
void list_differences(Finding& finding, const Fit& fit, const Numbers& numbers, std::span<const double> values) {
  const Printed& printed = *finding.printed;
  const Cell* sample = sample_cell(printed.cells);
  const CellVerdict wanted = fit.tally.differs > 0 ? CellVerdict::differs : CellVerdict::last_digit;
  const auto add = [&](const Difference& difference) {
    if (finding.differences.size() < most_listed) {
      finding.differences.push_back(difference);
    }
  };
  for (const std::int64_t position : fit.alignment.lost()) {
    const double exact = numbers.values[static_cast<std::size_t>(position)];
    add({index_of(position, numbers.shape), "", in_format_of(sample ? *sample : Cell{}, exact), exact});
    ++finding.differing_cells;
  }
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    const std::int64_t position = fit.alignment.in_step(static_cast<std::int64_t>(i));
    const Cell& cell = printed.cells[i];
    const Shape& shape = is_regular(printed) ? printed.shape : numbers.shape;
    if (position < 0) {
      add({index_of(static_cast<std::int64_t>(i), shape), std::string(cell.text), "", 0});
      ++finding.differing_cells;
      continue;
    }
    const double exact = values[static_cast<std::size_t>(position)];
    if (compare_cell(cell, exact) == wanted) {
      const Shape index = index_of(is_regular(printed) ? static_cast<std::int64_t>(i) : position, shape);
      const Cell& style = std::isfinite(cell.value) || !sample ? cell : *sample;
      add({index, std::string(cell.text), in_format_of(style, exact), exact});
    }
  }
  finding.differing_cells += fit.tally.differs;
  finding.last_digit_cells = fit.tally.last_digit;
}

}  // namespace

Finding describe(const Printed& printed, const Candidates& found, const Choice& chosen, KnownSteps& known,
                 const Pool& pool) {
  Finding result;
  result.printed = &printed;
  const Choice step = chosen ? chosen : found.nearest;
  if (step) {
    result.step = known[*step].step;
    result.chapter = known.chapter(*step);
  }
  if (!chosen) {
    result.verdict = Verdict::unknown;
    result.differing_cells = found.differing_from_nearest;
    return result;
  }
  const Numbers& numbers = pool[known[*step].numbers];
  const bool laid_whole = same_shape(printed, numbers.shape);
  const std::vector<double> values = laid_whole ? shown_values(printed, numbers) : numbers.values;
  const auto fit = found.fits.find(*step);
  if (fit != found.fits.end()) {
    result.verdict = Verdict::differs;
    result.change = fit->second.change;
    list_differences(result, fit->second, numbers, values);
  } else if (compare(printed.cells, values, 0).last_digit > 0) {
    result.verdict = Verdict::last_digit;
    list_differences(result, fit_same_shape(printed, values), numbers, values);
  } else if (found.same_layout) {
    result.verdict = Verdict::same;
  } else {
    result.verdict = Verdict::same_numbers;
    result.layout = layout_difference(printed, plain_layout(printed.text), known.layout(*step));
  }
  return result;
}

}  // namespace attn::verify
