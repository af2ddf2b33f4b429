#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "render/json.hpp"
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

}  // namespace attn::verify
