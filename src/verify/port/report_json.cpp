#include <cmath>
#include <cstdint>
#include <optional>
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

Json optional_json(const std::optional<double>& value) { return value ? number_json(*value) : Json(nullptr); }

/// Null where nothing differs.
Json cell_json(const Judged& judged, double difference, std::int64_t cell, double right) {
  if (difference == 0) {
    return nullptr;
  }
  return {{"difference", number_json(difference)},
          {"index", index_at(cell, judged.matched.step->tensor->shape())},
          {"here", number_json(judged.matched.laid->values[static_cast<std::size_t>(cell)])},
          {"right", number_json(right)}};
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
    json["greatest_absolute"] =
        cell_json(judged, comparison.greatest_absolute, comparison.absolute_at, comparison.absolute_right);
    json["greatest_relative"] =
        cell_json(judged, comparison.greatest_relative, comparison.relative_at, comparison.relative_right);
    json["passing_atol"] = optional_json(comparison.passing_atol);
    json["passing_rtol"] = optional_json(comparison.passing_rtol);
    json["numbers_of"] = judged.whose.empty() ? Json(nullptr) : Json(judged.whose);
  }
  json["causes"] = Json::array();
  for (const Cause& cause : judged.causes) {
    json["causes"].push_back({{"names", cause.names},
                              {"sentence", cause.sentence},
                              {"instead", cause.instead},
                              {"explained_cells", cause.explained}});
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
               {"drawn_with_seed", report.asked_seed ? Json(report.seed.text()) : Json(nullptr)},
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
  for (std::size_t i = 0; i < report.judgement.unmatched.size(); ++i) {
    const Observed& given = report.given[report.judgement.unmatched[i]];
    const std::string& relation = report.judgement.relations[i];
    json["unmatched"].push_back({{"name", given.name},
                                 {"shape", given.shape},
                                 {"relation", relation.empty() ? Json(nullptr) : Json(relation)}});
  }
  writer.value(json);
}

}  // namespace attn::verify
