#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <string_view>
#include <utility>

#include "text/columns.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/report/report.hpp"

namespace attn::verify {
namespace {

/// Rules of attention, and how the names of lessons' mistakes begin that mean the same.
constexpr std::pair<std::string_view, std::string_view> same_mistakes[] = {
    {"discarded", "no-mask"},
    {"heads-by-view", "heads-joined-by-view"},
    {"mask-triangle", "mask-"},
    {"masked-after-softmax", "mask-after-softmax"},
    {"masked-with-number", "mask-filled-with-"},
    {"softmax-axis", "softmax-dim-"},
    {"values-transposed", "weights-transposed"},
    {"wrong-scale", "multiplied-by-root"},
    {"wrong-scale", "scaled-by-"},
};

/// Returns true if the finding's mistake is the fault.
bool is_of(const Fault& fault, const Finding& finding) {
  const std::string mistake = finding.mistaken ? finding.mistaken->name : "";
  return fault.name == mistake || std::ranges::any_of(same_mistakes, [&](const auto& same) {
           return fault.name == same.first && mistake.starts_with(same.second);
         });
}

using Lines = std::vector<std::string>;

/// The parts that are not empty: "a, b, c"
std::string listed(Lines parts, const char* between = ", ") {
  std::erase(parts, "");
  return text::joined(parts, between);
}

/// "line 12", "cell 3, line 2", "cell 4 (Markdown), line 1"
std::string place_words(const Place& place) {
  const std::string line = "line " + std::to_string(place.line);
  const std::string markdown = place.is_markdown ? " (Markdown)" : "";
  return place.cell == 0 ? line : "cell " + std::to_string(place.number) + markdown + ", " + line;
}

/// Returns true if the program has a fault of the finding's mistake, with which it is told.
bool is_told(const Finding& finding, const Report& report) {
  return std::ranges::any_of(report.faults, [&](const Fault& fault) { return is_of(fault, finding); });
}

/// "84 of 88 (61 as the lesson, 15 follow, 8 as its program)", "3 of 3 sizes"
std::string right_of(const Report& report, Printed::Kind kind) {
  const std::int64_t all = report.count(kind);
  const auto number = [&](By by, const char* words) {
    const std::int64_t right = report.count(kind, {}, by);
    return right == 0 ? "" : std::to_string(right) + words + (by == By::relation && right == 1 ? "s" : "");
  };
  const std::string by = listed(
      {number(By::lesson, " as the lesson"), number(By::relation, " follow"), number(By::program, " as its program")});
  const std::string more = kind == Printed::Kind::size ? (all == 1 ? " size" : " sizes")
                           : by.empty()                ? ""
                                                       : " (" + by + ")";
  return all == 0 ? "" : std::to_string(all - report.count(kind, {}, By::none)) + " of " + std::to_string(all) + more;
}

/// "Right: 84 of 88 (61 as the lesson, 15 follow, 8 as its program). Wrong: none. Not known: 4."
std::string headline(const Report& report) {
  Lines wrong;
  Lines mistakes;
  Lines notes;
  for (const Fault& fault : report.faults) {
    (is_note(fault, report) ? notes : mistakes).push_back(fault.name + " (" + place_words(fault.place) + ")");
  }
  for (const Finding& finding : report.findings) {
    const std::string place = place_words(finding.printed->place);
    if (finding.verdict == Verdict::differs) {
      wrong.push_back(place);
    } else if (finding.verdict == Verdict::mistake && !is_told(finding, report)) {
      mistakes.push_back(finding.mistaken->name + " (" + place + ")");
    }
  }
  const auto number = [](std::int64_t count) { return count > 0 ? std::to_string(count) : ""; };
  const auto all = [&](Verdict verdict) { return std::ranges::count(report.findings, verdict, &Finding::verdict); };
  const auto places_text = [](const Lines& places) { return text::shortened(text::joined(places, "; "), 120); };
  const std::string none = mistakes.empty() ? "none" : "";
  const std::pair<const char*, std::string> answers[] = {
      {"Right", listed({right_of(report, Printed::Kind::tensor), right_of(report, Printed::Kind::size)}, " and ")},
      {"Wrong", wrong.empty() ? none : std::to_string(wrong.size()) + " (" + places_text(wrong) + ")"},
      {mistakes.size() == 1 ? "Mistake" : "Mistakes", places_text(mistakes)},
      {"Note", places_text(notes)},
      {"Inherited", number(all(Verdict::inherited))},
      {"Not known", number(all(Verdict::unknown))}};
  Lines words;
  for (const auto& [what, which] : answers) {
    words.push_back(which.empty() ? "" : std::string(what) + ": " + which + ".");
  }
  return listed(words, " ");
}

/// The lessons of the findings' steps, on one line; empty if there is none.
std::string lessons_line(const Report& report) {
  Lines words;
  for (const Explanation* lesson : report.lessons) {
    words.push_back(listed({lesson->article, "seed " + lesson->seed.text(), lesson->settings, lesson->cpu + " kernels",
                            dropout_words(*lesson)}));
  }
  return words.empty() ? "" : "lessons: " + text::joined(words, "; ") + '\n';
}

void append_differences(Lines& lines, const Finding& finding) {
  const bool is_close = finding.verdict == Verdict::last_digit;
  for (const Difference& difference : finding.differences) {
    lines.push_back(index_words(difference.index, tokens_at(difference.index, finding)) + ": page " +
                    (difference.printed.empty() ? "nothing" : difference.printed) +
                    (finding.step ? ", step " : ", expected ") + difference.expected +
                    (is_close ? "; exactly " + text::shortest_text(difference.exact) : ""));
  }
  const std::int64_t all = is_close ? finding.last_digit_cells : finding.differing_cells;
  if (const std::int64_t more = all - std::ssize(finding.differences); more > 0) {
    lines.push_back("... and " + std::to_string(more) + " more");
  }
}

void append_mistake(Lines& lines, const std::string& sentence, const std::string& instead) {
  lines.push_back(text::one_line(sentence));
  if (!instead.empty()) {
    lines.push_back("write: " + text::one_line(instead));
  }
}

Lines details_of(const Finding& finding, const Report& report) {
  Lines lines;
  const bool is_wrong = finding.verdict == Verdict::differs || finding.verdict == Verdict::last_digit;
  const std::string step_size = finding.step ? shape_text(finding.step->tensor->shape()) : "";
  if (finding.verdict == Verdict::mistake && !is_told(finding, report)) {
    append_mistake(lines, finding.mistaken->sentence, finding.mistaken->instead);
  } else if (is_wrong && is_size(*finding.printed) && finding.step) {
    lines.push_back("the step's size is " + step_size);
  } else if (is_wrong) {
    append_differences(lines, finding);
  } else if (finding.verdict == Verdict::unknown && !is_size(*finding.printed) &&
             (finding.step || !finding.relation.empty())) {
    lines.push_back("nearest: " +
                    (finding.relation.empty() ? step_words(finding) + " " + step_size : finding.relation));
  }
  for (const std::string& note : finding.notes) {
    lines.push_back("note: " + note);
  }
  return lines;
}

Outcome outcome_of(const Finding& finding, const Demands& demands) {
  const bool is_mistaken = finding.verdict == Verdict::mistake || finding.verdict == Verdict::inherited;
  if (is_mistaken && demands.allows_mistakes) {
    return Outcome::allowed;
  }
  const bool is_unknown = finding.verdict == Verdict::unknown;
  return is_unknown && demands.strict ? Outcome::wrong : telling_of(finding.verdict).outcome;
}

/// "1 of 72 cells"
std::string of_cells(std::int64_t number, const Finding& finding) {
  const std::size_t all = finding.printed->cells.size();
  return std::to_string(number) + " of " + std::to_string(all) + (all == 1 ? " cell" : " cells");
}

/// What is told of a verdict: "1 of 72 cells; 2 more in the last digit"
std::string detail_words(const Finding& finding) {
  switch (finding.verdict) {
    case Verdict::follows: return finding.is_rooted ? "rooted" : "";
    case Verdict::last_digit: return of_cells(finding.last_digit_cells, finding);
    case Verdict::mistake: return finding.mistaken->name;
    case Verdict::differs: break;
    default: return finding.layout;
  }
  const std::string close = std::to_string(finding.last_digit_cells) + " more in the last digit";
  return is_size(*finding.printed) || finding.differing_cells == 0
             ? ""
             : of_cells(finding.differing_cells, finding) + (finding.last_digit_cells > 0 ? "; " + close : "");
}

/// "differs (1 of 72 cells)", "as its program"
Tint tint_of(const Finding& finding) {
  if (finding.verdict == Verdict::follows && finding.by == By::program) {
    return {"program", "as its program"};
  }
  const Telling& telling = telling_of(finding.verdict);
  const std::string detail = detail_words(finding);
  return {telling.style, telling.name + (detail.empty() ? "" : " (" + detail + ")")};
}

/// The step that it is, with what its lesson does otherwise, or the relation that it follows from; "-" if unknown.
std::string origin_words(const Finding& finding) {
  if (finding.verdict == Verdict::unknown || !finding.step) {
    return finding.verdict == Verdict::unknown || finding.relation.empty() ? "-" : finding.relation;
  }
  const Explanation& lesson = *finding.explanation;
  const std::string other = listed({lesson.seed.text() == "123" ? "" : "seed " + lesson.seed.text(), lesson.settings});
  return step_words(finding) + (other.empty() ? "" : " (" + other + ")");
}

Row row_at(const Place& place, const std::string& shape, const std::string& origin, const Tint& tint) {
  constexpr std::int64_t widest_column = 60;
  return {.tint = tint,
          .line = place.cell > 0 ? 0 : std::int64_t{place.line},
          .place = place_words(place),
          .shape = text::shortened(shape, widest_column),
          .origin = text::shortened(origin, widest_column),
          .verdict = tint.words};
}

Row row_of(const Fault& fault, const Report& report, const Demands& demands) {
  const bool is_only_told = is_note(fault, report);
  const std::string kind = is_only_told ? "note" : "mistake";
  Row row = row_at(fault.place, "program", text::one_line(fault.words), {kind, kind + " (" + fault.name + ")"});
  row.outcome = is_only_told || demands.allows_mistakes ? Outcome::allowed : Outcome::wrong;
  row.title = row.place + ": " + row.origin;
  append_mistake(row.details, fault.sentence, fault.instead);
  return row;
}

Row row_of(const Finding& finding, const Report& report, const Demands& demands) {
  const std::string size = is_size(*finding.printed) ? "size " : "";
  Row row = row_at(finding.printed->place, size + shape_text(finding.printed->shape), origin_words(finding),
                   tint_of(finding));
  row.outcome = outcome_of(finding, demands);
  row.title = row.place + ": " + (row.origin == "-" ? "" : row.origin + " ") + row.shape;
  row.details = details_of(finding, report);
  return row;
}

/// The first line, which answers the reader, and notes on the whole page.
std::string head_of(const Report& report) {
  const bool is_empty = report.findings.empty() && report.faults.empty();
  Lines lines = {is_empty ? "no printed tensor" : headline(report)};
  std::ranges::copy(report.notes, std::back_inserter(lines));
  return text::joined(lines, "\n") + '\n';
}

void write_rows(std::ostream& out, const std::vector<Row>& rows) {
  const std::array columns = {&Row::place, &Row::shape, &Row::origin};
  std::array<std::int64_t, columns.size()> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      widths[i] = std::max(widths[i], text::display_columns(row.*columns[i]));
    }
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out << text::left_aligned(row.*columns[i], widths[i] + 2);
    }
    out << row.verdict << '\n' << details_text(row, "    ");
  }
}

}  // namespace

bool is_note(const Fault& fault, const Report& report) {
  return fault.is_note &&
         std::ranges::none_of(report.findings, [&](const Finding& finding) { return is_of(fault, finding); });
}

std::string step_words(const Finding& finding) {
  const std::string section = finding.step->section.empty() ? "" : "/" + finding.step->section;
  return finding.chapter() + section + " " + finding.step->name;
}

std::vector<std::string> tokens_at(const Shape& index, const Finding& finding) {
  const bool is_of_step = finding.step && !is_regular(*finding.printed);
  const Shape& shape = is_of_step ? finding.step->tensor->shape() : finding.printed->shape;
  const auto tokens = finding.explanation ? finding.explanation->tokens : std::vector<std::string>();
  std::vector<std::string> words(index.size());
  for (std::size_t axis = 0; axis < std::min(index.size(), shape.size()); ++axis) {
    const auto token = static_cast<std::size_t>(index[axis]);
    if (static_cast<std::size_t>(shape[axis]) == tokens.size() && token < tokens.size()) {
      words[axis] = tokens[token];
    }
  }
  return words;
}

std::string index_words(const Shape& index, const std::vector<std::string>& tokens) {
  std::vector<std::string> words;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    words.push_back(std::to_string(index[axis]) + (tokens[axis].empty() ? "" : " (" + tokens[axis] + ")"));
  }
  return "[" + text::joined(words) + "]";
}

Sheet sheet_of(const ReportedPage& reported, const Demands& demands) {
  const Report& report = reported.report;
  const std::string file = reported.page.name() == "-" ? "" : reported.page.name();
  Sheet sheet = {
      file.empty() ? "standard input" : file, {}, report.faults.size(), head_of(report) + lessons_line(report)};
  const auto add = [&](const auto& wrong) {
    sheet.rows.push_back(row_of(wrong, report, demands));
    sheet.rows.back().file = file;
  };
  std::ranges::for_each(report.faults, add);
  std::ranges::for_each(report.findings, add);
  return sheet;
}

void write_text(std::ostream& out, const ReportedPage& reported) {
  const Sheet sheet = sheet_of(reported);
  const std::string lessons = lessons_line(reported.report);
  out << head_of(reported.report) << (sheet.rows.empty() ? "" : "\n");
  write_rows(out, sheet.rows);
  out << (lessons.empty() ? "" : "\n") << lessons;
}

}  // namespace attn::verify
