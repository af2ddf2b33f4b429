#include "verify/explain/describe.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verify/explain/align.hpp"
#include "verify/explain/compare.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// Lists the cells that do not match the step: those that differ or, if there are none, those that differ in the last
/// digit.
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
      finding.marks.push_back({static_cast<std::int64_t>(i), false, true, 0});
      ++finding.differing_cells;
      continue;
    }
    const double exact = values[static_cast<std::size_t>(position)];
    const CellVerdict verdict = compare_cell(cell, exact);
    if (verdict != CellVerdict::holds) {
      finding.marks.push_back({static_cast<std::int64_t>(i), verdict == CellVerdict::last_digit, false, exact});
    }
    if (verdict == wanted) {
      const Shape index = index_of(is_regular(printed) ? static_cast<std::int64_t>(i) : position, shape);
      const Cell& style = std::isfinite(cell.value) || !sample ? cell : *sample;
      add({index, std::string(cell.text), in_format_of(style, exact), exact});
    }
  }
  finding.differing_cells += fit.tally.differs;
  finding.last_digit_cells = fit.tally.last_digit;
}

}  // namespace

Finding describe_step(const Printed& printed, const Candidates& found, std::size_t chosen, Known& known) {
  Finding result;
  result.printed = &printed;
  result.step = known[chosen].step;
  result.explanation = known[chosen].explanation;
  const auto fit = found.fits.find(chosen);
  if (fit != found.fits.end()) {
    const Numbers& numbers = known.numbers(*known[chosen].numbers);
    const bool laid_whole = same_shape(printed, numbers.shape);
    const bool is_last_digit = fit->second.tally.differs == 0 && fit->second.change.kind == Change::Kind::none;
    result.verdict = is_last_digit ? Verdict::last_digit : Verdict::differs;
    result.change = fit->second.change;
    list_differences(result, fit->second, numbers, laid_whole ? shown_values(printed, numbers) : numbers.values);
    return result;
  }
  const std::string page = plain_layout(printed.text);
  result.verdict = page == known.layout(chosen) ? Verdict::same : Verdict::same_numbers;
  result.layout = result.verdict == Verdict::same ? "" : layout_difference(printed, page, known.layout(chosen));
  return result;
}

Finding describe_relation(const Printed& printed, const Relation& relation) {
  Finding result;
  result.printed = &printed;
  result.verdict = relation.failing.empty() ? Verdict::follows : Verdict::differs;
  result.relation = relation.words;
  result.is_rooted = relation.is_rooted;
  result.is_in_part = relation.form == Form::fit || relation.form == Form::property;
  for (const std::size_t position : relation.sources) {
    result.sources.push_back(position - 1);
  }
  result.differing_cells = static_cast<std::int64_t>(relation.failing.size());
  const Cell* sample = sample_cell(printed.cells);
  for (const std::int64_t position : relation.failing) {
    const Cell& cell = printed.cells[static_cast<std::size_t>(position)];
    const double exact = relation.numbers[static_cast<std::size_t>(position)].middle();
    result.marks.push_back({position, false, false, exact});
    if (result.differences.size() < most_listed) {
      result.differences.push_back({index_of(position, printed.shape), std::string(cell.text),
                                    in_format_of(std::isfinite(cell.value) || !sample ? cell : *sample, exact), exact});
    }
  }
  return result;
}

Finding describe_mistake(const Finding& was, const Step& step, const Tensor& without, const Explanation& explanation,
                         Mistaken mistaken, bool is_first) {
  Finding result;
  result.printed = was.printed;
  result.verdict = is_first ? Verdict::mistake : Verdict::inherited;
  result.step = &step;
  result.explanation = &explanation;
  result.mistaken = std::move(mistaken);
  result.relation = was.relation;
  result.sources = was.sources;
  const Numbers right = numbers_of(without);
  Fit fit;
  fit.alignment.step_parts = fit.alignment.page_parts = std::ssize(was.printed->cells);
  fit.alignment.first = fit.alignment.page_parts;
  fit.tally = compare(*was.printed, right, std::ssize(was.printed->cells));
  list_differences(result, fit, right, shown_values(*was.printed, right));
  return result;
}

Finding describe_unknown(const Printed& printed, const Choice& nearest, const Known& known) {
  Finding result;
  result.printed = &printed;
  if (!nearest) {
    return result;
  }
  result.step = known[*nearest].step;
  result.explanation = known[*nearest].explanation;
  if (known[*nearest].numbers && same_shape(printed, known.numbers(*known[*nearest].numbers).shape)) {
    const auto cells = static_cast<std::int64_t>(printed.cells.size());
    const Tally tally = compare(printed, known.numbers(*known[*nearest].numbers), cells);
    result.differing_cells = tally.differs + tally.last_digit;
  }
  return result;
}

}  // namespace attn::verify
