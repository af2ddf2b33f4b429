#include "verify/report/report.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

#include <nlohmann/json.hpp>

#include "lesson/told.hpp"
#include "render/json.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

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

std::string listed(std::vector<std::string> parts, const char* between) {
  std::erase(parts, "");
  return text::joined(parts, between);
}

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

namespace {

std::string told(const Row& row) { return row.verdict + '\n' + details_text(row); }

/// Percent-encodes the characters that end a command; in a property's value also those that end the value.
std::string encoded(std::string_view text, bool is_property) {
  const std::string line = text::replaced(text::replaced(text::replaced(text, "%", "%25"), "\r", "%0D"), "\n", "%0A");
  return is_property ? text::replaced(text::replaced(line, ":", "%3A"), ",", "%2C") : line;
}

void write_command(std::ostream& out, const Row& row, const std::string& message) {
  constexpr const char* kinds[] = {"notice", "notice", "warning", "warning", "error"};  // of the outcomes
  out << "::" << kinds[static_cast<std::size_t>(row.outcome)] << ' ';
  if (!row.file.empty()) {
    out << "file=" << encoded(row.file, true) << ',';
  }
  if (row.line > 0) {
    out << "line=" << row.line << ',';
  }
  out << "title=" << encoded(text::visible(row.title), true)
      << "::" << encoded(text::visible(text::trimmed(message)), false) << '\n';
}

void write_attribute(std::ostream& out, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    out << ' ' << name << "=\"";
    write_visible(out, value);
    out << '"';
  }
}

void write_element(std::ostream& out, std::string_view name, std::string_view message, std::string_view text) {
  out << "      <" << name;
  write_attribute(out, "message", message);
  out << '>';
  write_visible(out, text);
  out << "</" << name << ">\n";
}

void write_case(std::ostream& out, const Sheet& sheet, const Row& row) {
  out << "    <testcase";
  write_attribute(out, "classname", sheet.name);
  write_attribute(out, "name", row.title);
  write_attribute(out, "file", row.file);
  write_attribute(out, "line", row.line > 0 ? std::to_string(row.line) : "");
  out << ">\n";
  if (row.outcome == Outcome::wrong || row.outcome == Outcome::inherited) {
    write_element(out, "failure", row.verdict, details_text(row));
  } else if (row.outcome == Outcome::skipped) {
    write_element(out, "skipped", row.verdict, "");
  } else if (row.outcome == Outcome::allowed || !row.details.empty()) {
    write_element(out, "system-out", "", told(row));
  }
  out << "    </testcase>\n";
}

}  // namespace

std::string details_text(const Row& row, const std::string& indent) {
  std::string text;
  for (const std::string& line : row.details) {
    text += indent + line + '\n';
  }
  return text;
}

void write_github(std::ostream& out, std::span<const Sheet> sheets) {
  for (const Sheet& sheet : sheets) {
    for (const Row& row : sheet.rows) {
      if (row.outcome != Outcome::right) {
        write_command(out, row, told(row));
      }
    }
    const std::string file = sheet.name == "standard input" ? "" : sheet.name;
    write_command(out, {.outcome = Outcome::allowed, .file = file, .title = "attn-walkthrough"}, sheet.summary);
  }
}

void write_junit(std::ostream& out, std::span<const Sheet> sheets) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attn-walkthrough\">\n";
  for (const Sheet& sheet : sheets) {
    out << "  <testsuite";
    write_attribute(out, "name", sheet.name);
    out << " tests=\"" << sheet.rows.size() << "\" failures=\"" << sheet.failures() << "\" errors=\"0\" skipped=\""
        << sheet.count(Outcome::skipped) << "\">\n";
    for (const Row& row : sheet.rows) {
      write_case(out, sheet, row);
    }
    write_element(out, "system-out", "", sheet.summary);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
}

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json differences_json(const Finding& finding) {
  Json list = Json::array();
  for (const Difference& difference : finding.differences) {
    Json tokens = Json::array();
    std::ranges::transform(tokens_at(difference.index, finding), std::back_inserter(tokens), text_or_null);
    list.push_back({{"index", difference.index},
                    {"tokens", std::move(tokens)},
                    {"printed", text_or_null(difference.printed)},
                    {"expected", difference.expected},
                    {"exact", difference.exact}});
  }
  return list;
}

constexpr const char* by_names[] = {"", "lesson", "relation", "program"};  // in the order of By

Json place_json(const Place& place) {
  return {{"line", place.line},
          {"cell", place.cell > 0 ? Json(place.number) : Json(nullptr)},
          {"is_markdown", place.is_markdown}};
}

template <class Wrong>
Json mistake_json(const Wrong& wrong) {
  return {{"name", wrong.name}, {"sentence", wrong.sentence}, {"instead", wrong.instead}};
}

Json fault_json(const Fault& fault, const Report& report) {
  Json json = place_json(fault.place);
  json["words"] = fault.words;
  json.update(mistake_json(fault));
  json["is_note"] = is_note(fault, report);
  return json;
}

Json finding_json(const Finding& finding) {
  const Printed& printed = *finding.printed;
  Json json = place_json(printed.place);
  json["kind"] = is_size(printed) ? "size" : "tensor";
  json["label"] = std::string(printed.label);
  json["shape"] = printed.shape;
  json["verdict"] = telling_of(finding.verdict).name;
  json["by"] = text_or_null(by_names[static_cast<std::size_t>(finding.by)]);
  json["step"] = nullptr;
  if (finding.step) {
    json[finding.verdict == Verdict::unknown ? "nearest" : "step"] = {
        {"article", finding.explanation->article},
        {"seed", render::seed_json(finding.explanation->seed)},
        {"settings", text_or_null(finding.explanation->settings)},
        {"chapter", finding.chapter()},
        {"section", finding.step->section},
        {"name", finding.step->name},
        {"in_article", finding.step->in_article},
        {"shape", finding.step->tensor->shape()}};
  }
  json["mistake"] = finding.mistaken ? mistake_json(*finding.mistaken) : Json(nullptr);
  json["relation"] = text_or_null(finding.relation);
  json["rooted"] = finding.is_rooted;
  json["in_part"] = false;  // of earlier reports
  json["sources"] = finding.sources;
  json["layout"] = text_or_null(finding.layout);
  json["cells"] = printed.cells.size();
  json["differing_cells"] = finding.differing_cells;
  json["last_digit_cells"] = finding.last_digit_cells;
  json["differences"] = differences_json(finding);
  json["notes"] = finding.notes;
  return json;
}

Json counts_json(const Report& report, Printed::Kind kind) {
  const std::int64_t all = report.count(kind);
  Json json{{"printed", all}, {"right", all - report.count(kind, {}, By::none)}};
  for (const By by : {By::lesson, By::relation, By::program}) {
    json["by"][by_names[static_cast<std::size_t>(by)]] = report.count(kind, {}, by);
  }
  for (std::size_t i = 0; i < tellings.size(); ++i) {
    json[tellings[i].name] = report.count(kind, static_cast<Verdict>(i));
  }
  return json;
}

}  // namespace

void write_json(render::JsonWriter& writer, const ReportedPage& reported) {
  const Report& report = reported.report;
  Json json{{"version", 1}, {"file", reported.page.name()}};
  json["lessons"] = Json::array();
  for (const Explanation* lesson : report.lessons) {
    json["lessons"].push_back({{"article", lesson->article},
                               {"seed", render::seed_json(lesson->seed)},
                               {"settings", text_or_null(lesson->settings)},
                               {"cpu", lesson->cpu},
                               {"blas", lesson->blas},
                               {"dropout_kernel", lesson->dropout_kernel}});
  }
  json["tensors"] = counts_json(report, Printed::Kind::tensor);
  json["sizes"] = counts_json(report, Printed::Kind::size);
  json["in_part"] = 0;  // of earlier reports
  json["holds"] = sheet_of(reported).failures() == 0;
  json["notes"] = report.notes;
  json["faults"] = Json::array();
  for (const Fault& fault : report.faults) {
    json["faults"].push_back(fault_json(fault, report));
  }
  writer.begin_object();
  writer.members(json);
  writer.member("findings");
  writer.begin_array();
  for (const Finding& finding : report.findings) {
    writer.value(finding_json(finding));
  }
  writer.end();
  writer.end();
}

/// The files of src/verify/report/page, embedded as strings by embed.cmake.
namespace report_page {
extern const std::string_view report_html;
extern const std::string_view report_css;
extern const std::string_view report_js;
}  // namespace report_page

namespace {

std::string section_id(std::size_t section) { return "page-" + std::to_string(section + 1); }

void write_verdict(std::ostream& out, const Tint& tint) {
  out << "<span class=\"verdict " << tint.style << "\">";
  write_visible(out, tint.words);
  out << "</span>";
}

void write_items(std::ostream& out, const Sheet& sheet, std::size_t section) {
  for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
    const Row& row = sheet.rows[i];
    out << (i < sheet.faults ? "<li><a>" : "<li><a href=\"#" + tensor_id(section, i - sheet.faults) + "\">");
    write_visible(out, row.place);
    out << "</a> ";
    write_visible(out, row.shape + ' ' + (row.origin.empty() ? row.verdict : row.origin) + ' ');
    write_verdict(out, row.tint);
    out << "<div class=\"detail\">";
    write_visible(out, details_text(row));
    out << "</div></li>\n";
  }
}

/// A cell's right value and, if the step has the cell at the same place, its derivation.
std::string cell_words(const Finding& finding, std::size_t i, const Wrong* mark, Derivations& derivations) {
  const Printed& printed = *finding.printed;
  if (finding.verdict == Verdict::unknown) {
    return "no lesson's step, nor anything that is printed before it, explains this number";
  }
  const Cell& cell = printed.cells[i];
  const std::string right = mark == nullptr
                                ? ""
                                : "here " + std::string(cell.text) + ", right " + in_format_of(cell, mark->right) +
                                      ", exactly " + text::shortest_text(mark->right) + '\n';
  if (!finding.step) {
    return right + finding.relation;
  }
  const bool has_place = !finding.mistaken && !has_gap(printed) && is_regular(printed) &&
                         may_show(*shown_of(printed), finding.step->tensor->shape());
  return right + (has_place ? derivations.of({finding.step, index_at(static_cast<std::int64_t>(i), printed.shape)},
                                             step_words(finding), finding.explanation->tokens)
                            : step_words(finding));
}

void write_finding(std::ostream& out, const std::string& id, const Finding& finding, const Tint& tint,
                   Derivations& derivations) {
  const Printed& printed = *finding.printed;
  auto mark = finding.marks.begin();
  const auto cell_at = [&](std::size_t i) {
    const std::string_view text = printed.cells[i].text;
    const bool is_marked = mark != finding.marks.end() && mark->cell == static_cast<std::int64_t>(i);
    const std::string_view style = !is_marked ? "" : mark->is_close ? "close" : "wrong";
    const Wrong* const own = is_marked ? &*mark++ : nullptr;
    return ShownCell{text, style, cell_words(finding, i, own, derivations)};
  };
  write_tensor(out, id, tint, printed.text, is_size(printed) ? 0 : printed.cells.size(), cell_at);
}

void write_page(std::ostream& out, const ReportedPage& reported, const Sheet& sheet, std::size_t section,
                Derivations& derivations) {
  const std::string_view text = reported.page.text();
  std::size_t written = 0;
  for (std::size_t i = 0; i < reported.report.findings.size(); ++i) {
    const Finding& finding = reported.report.findings[i];
    const auto begin = static_cast<std::size_t>(finding.printed->text.data() - text.data());
    if (begin >= written) {  // else it lies within a tensor already written
      write_visible(out, text.substr(written, begin - written));
      write_finding(out, tensor_id(section, i), finding, sheet.rows[sheet.faults + i].tint, derivations);
      written = begin + finding.printed->text.size();
    }
  }
  write_visible(out, text.substr(written));
}

}  // namespace

std::string Derivations::of(const render::Cell& cell, const std::string& step_words,
                            std::span<const std::string> tokens) {
  constexpr std::int64_t most_cells = 1'000;
  if (left == 0 || element_count(cell.step->tensor->shape()) > most_cells) {
    return step_words;
  }
  --left;
  return step_words + '\n' + render::derivation_text(cell, 1, tokens, {});
}

void write_visible(std::ostream& out, std::string_view text) { render::write_escaped(out, text::visible(text)); }

void write_tensor(std::ostream& out, const std::string& id, const Tint& tint, std::string_view text, std::size_t cells,
                  const std::function<ShownCell(std::size_t)>& cell_at) {
  std::size_t written = 0;
  const auto write_until = [&](std::size_t end) {
    write_visible(out, text.substr(written, end - written));
    written = end;
  };
  out << "<span class=\"tensor " << tint.style << "\" id=\"" << id << "\" tabindex=\"0\">";
  for (std::size_t i = 0; i < cells; ++i) {
    const ShownCell cell = cell_at(i);
    write_until(static_cast<std::size_t>(cell.text.data() - text.data()));
    out << "<span class=\"cell" << (cell.tint.empty() ? "" : " ") << cell.tint << "\" title=\"";
    write_visible(out, cell.words);
    out << "\">";
    write_until(written + cell.text.size());
    out << "</span>";
  }
  write_until(text.size());
  out << "</span><span class=\"said\">";
  write_verdict(out, tint);
  out << "</span>";
}

std::string tensor_id(std::size_t section, std::size_t tensor) {
  return section_id(section) + "-" + std::to_string(tensor + 1);
}

void write_document(std::ostream& out, std::span<const Sheet> sheets, const std::string& version) {
  const render::Cut page = render::cut_out(std::string(report_page::report_html), "page");
  const auto write_sections = [&](std::ostream& to) {
    for (std::size_t i = 0; i < sheets.size(); ++i) {
      const Sheet& sheet = sheets[i];
      render::write_filled(to, page.inner,
                           {{"id", render::verbatim(section_id(i))},
                            {"name", render::escaped(text::one_line(sheet.name))},
                            {"summary", render::escaped(text::visible(sheet.summary))},
                            {"open", render::verbatim(sheet.failures() > 0 ? " open" : "")},
                            {"findings", [&](std::ostream& list) { write_items(list, sheet, i); }},
                            {"text", sheet.text}});
    }
  };
  const std::string title =
      sheets.size() == 1 ? text::one_line(sheets[0].name) : std::to_string(sheets.size()) + " reports";
  render::write_filled(out, page.rest,
                       {{"title", render::escaped(title)},
                        {"version", render::escaped(version)},
                        {"style", render::verbatim(report_page::report_css)},
                        {"script", render::verbatim(report_page::report_js)},
                        {"page", write_sections}});
}

void write_html(std::ostream& out, std::span<const ReportedPage> pages, const std::string& version) {
  Derivations derivations;
  std::vector<Sheet> sheets(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    sheets[i] = sheet_of(pages[i]);
    sheets[i].text = [&, i](std::ostream& pre) { write_page(pre, pages[i], sheets[i], i, derivations); };
  }
  write_document(out, sheets, version);
}

}  // namespace attn::verify
