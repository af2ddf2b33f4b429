#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include "render/json.hpp"
#include "verify/report/report.hpp"
#include "verify/report/words.hpp"

namespace attn::verify {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// For each axis of tokens the index's token, else null.
Json tokens_of(const Shape& index, const Shape& shape, const Finding& finding) {
  Json tokens = Json::array();
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    tokens.push_back(text_or_null(axis < shape.size() ? token_name(finding, index[axis], shape[axis]) : ""));
  }
  return tokens;
}

Json change_json(const Finding& finding) {
  static constexpr std::array names{"none", "lost", "added", "reshaped"};
  const Change& change = finding.change;
  Json json{{"kind", names[static_cast<std::size_t>(change.kind)]}};
  if (change.kind != Change::Kind::reshaped) {
    json["at"] = change.at;
    json["count"] = change.count;
  }
  json["text"] = change_words(finding);
  return json;
}

Json differences_json(const Finding& finding) {
  Json list = Json::array();
  for (const Difference& difference : finding.differences) {
    Json json{{"index", difference.index}};
    if (!is_size(finding)) {
      json["tokens"] = tokens_of(difference.index, shape_of_indexes(finding), finding);
    }
    json["printed"] = text_or_null(difference.printed);
    json["expected"] = text_or_null(difference.expected);
    json["exact"] = difference.expected.empty() ? Json(nullptr) : number(difference.exact);
    list.push_back(std::move(json));
  }
  return list;
}

Json finding_json(const Finding& finding) {
  const Printed& printed = *finding.printed;
  Json json{{"line", printed.place.line}};
  json["cell"] = printed.place.cell > 0 ? Json(printed.place.number) : Json(nullptr);
  json["kind"] = is_size(finding) ? "size" : "tensor";
  json["label"] = std::string(printed.label);
  json["shape"] = printed.shape;
  json["verdict"] = verdict_name(finding.verdict);
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
  json["mistake"] = finding.mistaken ? Json{{"name", finding.mistaken->name},
                                            {"sentence", finding.mistaken->sentence},
                                            {"instead", finding.mistaken->instead}}
                                     : Json(nullptr);
  json["relation"] = text_or_null(finding.relation);
  json["rooted"] = finding.is_rooted;
  json["in_part"] = finding.is_in_part;
  json["sources"] = finding.sources;
  json["layout"] = text_or_null(finding.layout);
  json["cells"] = printed.cells.size();
  json["differing_cells"] = finding.differing_cells;
  json["last_digit_cells"] = finding.last_digit_cells;
  json["change"] = finding.change.kind == Change::Kind::none ? Json(nullptr) : change_json(finding);
  json["differences"] = differences_json(finding);
  json["notes"] = finding.notes;
  return json;
}

Json counts_json(const Report& report, Printed::Kind kind) {
  Json json{{"printed", report.count(kind)}, {"holding", report.holding(kind)}};
  for (const Verdict verdict : verdicts) {
    json[verdict_name(verdict)] = report.count(kind, verdict);
  }
  return json;
}

}  // namespace

void write_json(render::JsonWriter& writer, const ReportedPage& reported) {
  const Report& report = reported.report;
  Json json{{"file", reported.page.name()}};
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
  json["holds"] = exit_code(report) == 0;
  json["notes"] = report.notes;
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
