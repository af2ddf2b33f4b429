#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/derivation.hpp"
#include "render/json.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/explain/finding.hpp"
#include "verify/observed/observed.hpp"
#include "verify/report/report.hpp"

namespace attn::verify {

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
