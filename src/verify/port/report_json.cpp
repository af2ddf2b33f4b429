#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "verify/port/report.hpp"

namespace attn::verify {
namespace {

using Json = nlohmann::ordered_json;

std::string by_name(Matched::By by) {
  switch (by) {
    case Matched::By::map: return "map";
    case Matched::By::name:
    case Matched::By::habit: return "name";
    case Matched::By::numbers: break;
  }
  return "numbers";
}

Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

/// Null where nothing differs.
Json worst_json(const Judged& judged) {
  const std::int64_t cell = judged.comparison.absolute_at;
  if (judged.comparison.greatest_absolute == 0) {
    return nullptr;
  }
  return {{"difference", number_json(judged.comparison.greatest_absolute)},
          {"index", index_at(cell, judged.matched.step->tensor->shape())},
          {"here", number_json(judged.matched.laid->values[at(cell)])},
          {"right", number_json(judged.right[at(cell)])}};
}

Json step_json(const Judged& judged) {
  const Matched& matched = judged.matched;
  Json json = {
      {"section", matched.step->section},
      {"name", matched.step->name},
      {"theirs", matched.theirs->name},
      {"shape", matched.step->tensor->shape()},
      {"their_shape", matched.theirs->shape},
      {"their_dtype", matched.theirs->dtype},
      {"matched_by", by_name(matched.by)},
      {"arrangement", !matched.laid || matched.laid->words.empty() ? Json(nullptr) : Json(matched.laid->words)},
      {"verdict", verdict_name(judged.verdict)}};
  const Comparison& comparison = judged.comparison;
  if (matched.laid) {
    json["cells"] = comparison.cells;
    json["mismatched_cells"] = comparison.mismatched.size();
    json["greatest_absolute"] = worst_json(judged);
  }
  json["causes"] = Json::array();
  for (const Cause& cause : judged.causes) {
    json["causes"].push_back({{"names", cause.names}, {"sentence", cause.sentence}, {"instead", cause.instead}});
  }
  return json;
}

}  // namespace

void write_json(render::JsonWriter& writer, const PortReport& report) {
  const PortCounts counts = counts_of(report);
  const Way& way = report.judgement.way;
  Json json = {{"file", report.name},
               {"lesson", report.lesson},
               {"holds", exit_code(report) == 0},
               {"drawn_with_seed", report.drawn_with ? Json(report.drawn_with->text()) : Json(nullptr)},
               {"given", counts.given},
               {"right", counts.right},
               {"used", report.used},
               {"ignored", report.ignored},
               {"way", way.words.empty() ? Json(nullptr) : Json(way.words)},
               {"unseen", report.unseen},
               {"steps", Json::array()},
               {"unmatched", Json::array()}};
  for (const Judged& judged : report.judgement.tensors) {
    json["steps"].push_back(step_json(judged));
  }
  for (const std::size_t given : report.judgement.unmatched) {
    json["unmatched"].push_back({{"name", report.given[given].name}, {"shape", report.given[given].shape}});
  }
  writer.value(json);
}

}  // namespace attn::verify
