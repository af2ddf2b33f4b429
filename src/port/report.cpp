#include "port/report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <set>

#include <nlohmann/json.hpp>

#include "render/json.hpp"
#include "render/lineage.hpp"
#include "text/columns.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::port {
namespace {

using Json = nlohmann::ordered_json;

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::wrong: return "wrong here";
    case Verdict::inherited: return "inherited";
    case Verdict::shape: break;
  }
  return "another shape";
}

/// Few digits, for how large a difference is.
std::string short_text(double value) { return text::number_text(value, std::chars_format::general, 3); }

std::string number_text(double value) { return text::float_text(static_cast<float>(value)); }

/// "[0, 1 (journey), 2 (starts)]"
std::string index_words(const Report& report, const Tensor& tensor, std::int64_t cell) {
  const Shape index = index_at(cell, tensor.shape());
  const std::vector<bool> are_tokens = render::token_axes(tensor, report.tokens.size());
  std::string words;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    words += (axis == 0 ? "" : ", ") + std::to_string(index[axis]);
    if (!report.tokens.empty() && are_tokens[axis]) {
      words += " (" + text::one_line(report.tokens[static_cast<std::size_t>(index[axis])]) + ")";
    }
  }
  return "[" + words + "]";
}

std::string cell_words(const Report& report, const Judged& judged, std::int64_t cell) {
  const auto i = static_cast<std::size_t>(cell);
  return "at " + index_words(report, *judged.matched.step->tensor, cell) + ": here " +
         number_text(judged.matched.values[i]) + ", right " + number_text(judged.right[i]);
}

/// The last two axes of the first slice with a wrong cell: "x" is wrong, "." holds.
std::vector<std::string> picture(const Judged& judged) {
  constexpr std::int64_t most_rows = 16;
  constexpr std::int64_t most_columns = 64;
  const Shape& shape = judged.matched.step->tensor->shape();
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  const std::int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  const std::int64_t first = judged.comparison.mismatched.front() / (rows * columns) * (rows * columns);
  const std::set<std::int64_t> wrong(judged.comparison.mismatched.begin(), judged.comparison.mismatched.end());
  std::vector<std::string> lines;
  for (std::int64_t row = 0; row < std::min(rows, most_rows); ++row) {
    std::string line;
    for (std::int64_t column = 0; column < std::min(columns, most_columns); ++column) {
      line += wrong.contains(first + row * columns + column) ? "x" : ".";
    }
    lines.push_back(line + (columns > most_columns ? " ..." : ""));
  }
  if (rows > most_rows) {
    lines.emplace_back("...");
  }
  return lines;
}

std::string mark(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "\u2713";
    case Verdict::inherited: return "~";
    case Verdict::wrong:
    case Verdict::shape: break;
  }
  return "\u2717";
}

std::string result_words(const Judged& judged) {
  if (judged.verdict == Verdict::shape) {
    return "another shape: " + shape_text(judged.matched.theirs->shape);
  }
  const Comparison& comparison = judged.comparison;
  if (judged.verdict == Verdict::holds) {
    return comparison.greatest_absolute == 0 ? "equal" : "holds, within " + short_text(comparison.greatest_ulps) + " ulp";
  }
  return verdict_name(judged.verdict) + ": " + std::to_string(comparison.mismatched.size()) + " of " +
         std::to_string(comparison.cells) + " cells";
}

std::string how_words(const Matched& matched) {
  std::string words = matched.theirs->name == full_name(*matched.step) ? "" : "your " + text::one_line(matched.theirs->name);
  const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
  if (!matched.by_name) {
    add("by its numbers");
  }
  if (!matched.arrangement.empty()) {
    add(matched.arrangement);
  }
  return words;
}

void write_wrong(std::ostream& out, const Report& report, const Judged& judged) {
  const Comparison& comparison = judged.comparison;
  const auto line = [&out](const std::string& words) { out << "    " << words << '\n'; };
  line("greatest absolute difference " + short_text(comparison.greatest_absolute) + " " +
       cell_words(report, judged, comparison.absolute_at));
  if (comparison.greatest_relative > 0) {
    line("greatest relative difference " + short_text(comparison.greatest_relative) + " " +
         cell_words(report, judged, comparison.relative_at));
  }
  std::string passing;
  if (comparison.passing_atol) {
    passing = "--atol " + short_text(*comparison.passing_atol * 1.001);
  }
  if (comparison.passing_rtol) {
    passing += (passing.empty() ? "" : " or ") + std::string("--rtol ") + short_text(*comparison.passing_rtol * 1.001);
  }
  line("up to " + short_text(comparison.greatest_ulps) + " ulp" + (passing.empty() ? "; no tolerance passes" : "; passes with " + passing));
  for (const std::string& row : picture(judged)) {
    line("  " + row);
  }
}

void write_causes(std::ostream& out, const Judged& judged) {
  if (judged.causes.empty()) {
    out << "    why: no known mistake gives these numbers\n";
  }
  for (std::size_t i = 0; i < judged.causes.size(); ++i) {
    const Cause& cause = judged.causes[i];
    out << (i == 0 ? "    why: " : "    or:  ") << cause.sentence << " (explains " << judged.comparison.cells << " of "
        << judged.comparison.cells << " cells)\n";
    if (!cause.instead.empty()) {
      out << "    write: " << cause.instead << '\n';
    }
  }
}

// ---- JSON -----------------------------------------------------------------------------------------

Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

Json optional_json(const std::optional<double>& value) { return value ? number_json(*value) : Json(nullptr); }

Json cell_json(const Judged& judged, double difference, std::int64_t cell) {
  const auto i = static_cast<std::size_t>(cell);
  return {{"difference", number_json(difference)},
          {"index", index_at(cell, judged.matched.step->tensor->shape())},
          {"here", number_json(judged.matched.values[i])},
          {"right", number_json(judged.right[i])}};
}

Json step_json(const Judged& judged) {
  const Matched& matched = judged.matched;
  Json json = {{"section", matched.step->section},
               {"name", matched.step->name},
               {"theirs", matched.theirs->name},
               {"shape", matched.step->tensor->shape()},
               {"their_shape", matched.theirs->shape},
               {"their_dtype", matched.theirs->dtype},
               {"matched_by", matched.by_name ? "name" : "numbers"},
               {"arrangement", matched.arrangement.empty() ? Json(nullptr) : Json(matched.arrangement)},
               {"verdict", verdict_name(judged.verdict)}};
  if (judged.verdict == Verdict::shape) {
    return json;
  }
  const Comparison& comparison = judged.comparison;
  json["cells"] = comparison.cells;
  json["mismatched_cells"] = comparison.mismatched.size();
  json["greatest_absolute"] = cell_json(judged, comparison.greatest_absolute, comparison.absolute_at);
  json["greatest_relative"] = cell_json(judged, comparison.greatest_relative, comparison.relative_at);
  json["greatest_ulps"] = number_json(comparison.greatest_ulps);
  json["passing_atol"] = optional_json(comparison.passing_atol);
  json["passing_rtol"] = optional_json(comparison.passing_rtol);
  json["causes"] = Json::array();
  for (const Cause& cause : judged.causes) {
    json["causes"].push_back({{"names", cause.names}, {"sentence", cause.sentence}, {"instead", cause.instead}});
  }
  return json;
}

std::int64_t count(const Report& report, Verdict verdict) {
  return std::ranges::count(report.steps, verdict, &Judged::verdict);
}

}  // namespace

void write_text(std::ostream& out, const Report& report) {
  std::vector<std::array<std::string, 2>> columns;
  std::array<std::int64_t, 2> widths{};
  for (const Judged& judged : report.steps) {
    columns.push_back({full_name(*judged.matched.step), shape_text(judged.matched.step->tensor->shape())});
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], static_cast<std::int64_t>(columns.back()[i].size()));
    }
  }
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    const Judged& judged = report.steps[i];
    out << mark(judged.verdict) << ' ';
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const std::string& cell = columns[i][column];
      out << cell << std::string(static_cast<std::size_t>(widths[column]) - cell.size() + 2, ' ');
    }
    const std::string how = how_words(judged.matched);
    out << result_words(judged) << (how.empty() ? "" : " (" + how + ")") << '\n';
    if (judged.verdict == Verdict::wrong) {
      write_wrong(out, report, judged);
      write_causes(out, judged);
    }
  }
  for (const dump::Dumped* one : report.unmatched) {
    out << "? " << text::one_line(one->name) << ' ' << shape_text(one->shape)
        << ": no step of this name, nor one with these numbers; try --map '" << text::one_line(one->name) << "=STEP'\n";
  }
  out << '\n'
      << count(report, Verdict::holds) << " of " << report.steps.size() << " steps hold: " << report.lesson << '\n';
  for (const Verdict verdict : {Verdict::wrong, Verdict::shape, Verdict::inherited}) {
    std::string names;
    for (const Judged& judged : report.steps) {
      if (judged.verdict == verdict) {
        names += (names.empty() ? "" : ", ") + full_name(*judged.matched.step);
      }
    }
    if (!names.empty()) {
      out << verdict_name(verdict) << ": " << names << '\n';
    }
  }
}

void write_json(std::ostream& out, const Report& report, const std::string& line_break) {
  Json json = {{"file", report.name},
               {"lesson", report.lesson},
               {"holds", count(report, Verdict::holds) == std::ssize(report.steps)},
               {"steps", Json::array()},
               {"unmatched", Json::array()}};
  for (const Judged& judged : report.steps) {
    json["steps"].push_back(step_json(judged));
  }
  for (const dump::Dumped* one : report.unmatched) {
    json["unmatched"].push_back({{"name", one->name}, {"shape", one->shape}});
  }
  out << render::json_text(json, line_break);
}

int exit_code(const Report& report, bool strict) {
  const bool all_hold = count(report, Verdict::holds) == std::ssize(report.steps);
  return all_hold && !(strict && !report.unmatched.empty()) ? 0 : 1;
}

}  // namespace attn::port
