#include "verify/report/report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ostream>

#include "text/columns.hpp"
#include "text/lines.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/report/lines.hpp"
#include "verify/report/neighbourhood.hpp"
#include "verify/report/words.hpp"

namespace attn::verify {
namespace {

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string of_cells(std::int64_t count, const Finding& finding) {
  return std::to_string(count) + " of " + counted(static_cast<std::int64_t>(finding.printed->cells.size()), "cell");
}

// ---- The line of a tensor -----------------------------------------------------------------------

std::string shape_column(const Finding& finding) {
  return (is_size(finding) ? "size " : "") + shape_text(finding.printed->shape);
}

/// The step that it is, or the relation that it follows from.
std::string origin_column(const Finding& finding) {
  if (finding.verdict == Verdict::unknown) {
    return "-";
  }
  if (!finding.step) {
    return finding.relation;
  }
  const std::string lesson = lesson_words(finding);
  return step_words(finding) + (lesson.empty() ? "" : " (" + lesson + ")");
}

std::string verdict_column(const Finding& finding) {
  const std::string name = verdict_name(finding.verdict);
  switch (finding.verdict) {
    case Verdict::same: return name;
    case Verdict::same_numbers: return name + " (" + finding.layout + ")";
    case Verdict::last_digit: return name + " (" + of_cells(finding.last_digit_cells, finding) + ")";
    case Verdict::follows: return name + (finding.is_in_part ? " (in part)" : finding.is_rooted ? " (rooted)" : "");
    case Verdict::mistake: return name + " (" + finding.mistaken->name + ")";
    case Verdict::inherited:
    case Verdict::unknown: return name;
    case Verdict::differs: break;
  }
  if (is_size(finding) || finding.change.kind != Change::Kind::none) {
    return name;
  }
  const std::string also =
      finding.last_digit_cells > 0 ? "; " + std::to_string(finding.last_digit_cells) + " more in the last digit" : "";
  return name + " (" + of_cells(finding.differing_cells, finding) + also + ")";
}

void append_line(std::string& out, const Columns& columns, const std::array<std::size_t, 4>& widths) {
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    out += columns[i] + std::string(widths[i] - columns[i].size() + 2, ' ');
  }
  out += columns.back() + '\n';
}

// ---- What is wrong with it ----------------------------------------------------------------------

/// Reports a value half way between the page's number and the step's.
std::string tie_words(const Cell& printed, const std::string& expected) {
  double step = 0;
  std::from_chars(expected.data(), expected.data() + expected.size(), step);
  char buffer[40];
  const auto result =
      std::to_chars(std::begin(buffer), std::end(buffer), (printed.value + step) / 2, std::chars_format::general, 9);
  return {std::begin(buffer), result.ptr};
}

/// Lists in one line the cells that only one side has.
void append_one_sided(std::string& out, const Finding& finding) {
  std::string lost;
  std::string added;
  for (const Difference& difference : finding.differences) {
    if (difference.printed.empty() || difference.expected.empty()) {
      (difference.printed.empty() ? lost : added) += " " + difference.printed + difference.expected;
    }
  }
  const bool cut = finding.differing_cells > static_cast<std::int64_t>(finding.differences.size());
  if (!lost.empty()) {
    out += "    the step has there:" + lost + (cut ? " ..." : "") + '\n';
  }
  if (!added.empty()) {
    out += "    the page has there:" + added + (cut ? " ..." : "") + '\n';
  }
}

void append_two_sided(std::string& out, const Finding& finding) {
  const Shape& shape = shape_of_indexes(finding);
  std::int64_t listed = 0;
  for (const Difference& difference : finding.differences) {
    if (difference.printed.empty() || difference.expected.empty()) {
      continue;
    }
    ++listed;
    out += "    " + index_words(difference.index, shape, finding) + ": page " + difference.printed +
           (finding.step ? ", step " : ", expected ") + difference.expected;
    if (finding.verdict == Verdict::last_digit) {
      const Printed& printed = *finding.printed;
      const Cell& cell = printed.cells[static_cast<std::size_t>(position_of(difference.index, printed.shape))];
      out += "; exactly " + exact_digits(difference.exact) + ", the tie is at " + tie_words(cell, difference.expected);
    }
    out += '\n';
  }
  const std::int64_t all = finding.verdict == Verdict::last_digit ? finding.last_digit_cells : finding.differing_cells;
  if (listed > 0 && all > static_cast<std::int64_t>(finding.differences.size())) {
    out += "    ... and " + std::to_string(all - static_cast<std::int64_t>(finding.differences.size())) + " more\n";
  }
}

void append_size_details(std::string& out, const Finding& finding) {
  if (finding.verdict == Verdict::differs) {
    out += "    the step's size is " + index_words(finding.step->tensor->shape(), {}, finding) + '\n';
  }
}

void append_nearest(std::string& out, const Finding& finding) {
  std::string nearest = finding.relation;
  if (nearest.empty() && finding.step) {
    nearest = step_words(finding) + " " + shape_text(finding.step->tensor->shape());
  }
  if (!nearest.empty()) {
    out += "    nearest: " + nearest;
    out += finding.differing_cells > 0 ? "; " + of_cells(finding.differing_cells, finding) + " differ\n" : "\n";
  }
}

void append_wrong(std::string& out, const Finding& finding) {
  if (is_size(finding)) {
    append_size_details(out, finding);
  } else if (finding.verdict == Verdict::mistake) {
    out += "    " + finding.mistaken->sentence + "; write " + finding.mistaken->instead + '\n';
  } else if (finding.verdict == Verdict::inherited) {
    // The tensor that it follows from reports the mistake.
  } else if (finding.verdict == Verdict::unknown) {
    append_nearest(out, finding);
  } else {
    if (const std::string change = change_words(finding); !change.empty()) {
      out += "    " + change + '\n';
    }
    append_one_sided(out, finding);
    append_two_sided(out, finding);
    out += neighbourhood(finding);
  }
}

// ---- The summary --------------------------------------------------------------------------------

/// The places of the findings that are so, which `is` tells.
template <class Is>
std::string places_of(const Report& report, const Is& is) {
  constexpr int most = 8;
  std::string words;
  int listed = 0;
  for (const Finding& finding : report.findings) {
    if (is(finding) && listed++ < most) {
      words += (words.empty() ? "" : "; ") + place_words(finding.printed->place);
    }
  }
  return words + (listed > most ? "; ..." : "");
}

std::string places_of(const Report& report, Verdict verdict) {
  return places_of(report, [verdict](const Finding& finding) { return finding.verdict == verdict; });
}

}  // namespace

Columns columns_of(const Finding& finding) {
  constexpr std::int64_t widest = 60;
  return {place_words(finding.printed->place), text::shortened(shape_column(finding), widest),
          text::shortened(origin_column(finding), widest), verdict_column(finding)};
}

std::string details_of(const Finding& finding) {
  std::string details;
  append_wrong(details, finding);
  for (const std::string& note : finding.notes) {
    details += "    note: " + note + '\n';
  }
  return details;
}

std::string summary_of(const Report& report) {
  std::string out;
  const char* separator = "lessons: ";
  for (const Explanation* lesson : report.lessons) {
    out += separator + lesson_words(*lesson, report.blas_shows);
    separator = "; ";
  }
  out += out.empty() ? "" : "\n";
  std::string counts;
  for (const Verdict verdict : verdicts) {
    if (const std::int64_t count = report.count(Printed::Kind::tensor, verdict); count > 0) {
      counts += (counts.empty() ? "tensors: " : ", ") + std::to_string(count) + " " + verdict_name(verdict);
    }
  }
  out += counts.empty() ? "" : counts + '\n';
  std::int64_t last_digits = 0;
  for (const Finding& finding : report.findings) {
    last_digits += finding.verdict == Verdict::last_digit ? finding.last_digit_cells : 0;
  }
  if (last_digits > 0) {
    out += counted(last_digits, "cell") + " off by one in the last digit: " + places_of(report, Verdict::last_digit) +
           '\n';
  }
  const auto fraction = [&](Printed::Kind kind) {
    return std::to_string(report.holding(kind)) + " of " + std::to_string(report.count(kind));
  };
  const bool has_sizes = report.count(Printed::Kind::size) > 0;
  out += fraction(Printed::Kind::tensor) + " tensors " +
         (has_sizes ? "and " + fraction(Printed::Kind::size) + " sizes " : "") + "checked and right";
  if (const std::int64_t in_part = report.in_part(); in_part > 0) {
    out += ", " + std::to_string(in_part) +
           " of them in part: " + places_of(report, [](const Finding& finding) { return finding.is_in_part; });
  }
  for (const Verdict verdict : verdicts) {
    const std::int64_t count =
        report.count(Printed::Kind::tensor, verdict) + report.count(Printed::Kind::size, verdict);
    if (count > 0 && !holds(verdict)) {
      out += "; " + std::to_string(count) + " " + verdict_name(verdict) + ": " + places_of(report, verdict);
    }
  }
  return out + '\n';
}

std::string name_of(const ReportedPage& reported) { return text::one_line(reported.page.name()); }

void write_text(std::ostream& out, const ReportedPage& reported) {
  const Report& report = reported.report;
  if (report.findings.empty()) {
    out << "no printed tensor\n";
    return;
  }
  for (const std::string& note : report.notes) {
    out << note << '\n';
  }
  std::array<std::size_t, 4> widths{};
  for (const Finding& finding : report.findings) {
    const Columns columns = columns_of(finding);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      widths[i] = std::max(widths[i], columns[i].size());
    }
  }
  for (const Finding& finding : report.findings) {
    std::string lines;
    append_line(lines, columns_of(finding), widths);
    out << lines << details_of(finding);
  }
  out << '\n' << summary_of(report);
}

}  // namespace attn::verify
