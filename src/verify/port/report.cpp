#include "verify/port/report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <ostream>

#include <nlohmann/json.hpp>

#include "lesson/explain.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::verify {
namespace {

/// In the order of PortVerdict.
constexpr auto port_tellings = std::to_array<Telling>({{"holds", "same", Outcome::right},
                                                       {"inherited", "inherited", Outcome::inherited},
                                                       {"wrong here", "differs", Outcome::wrong},
                                                       {"another shape", "differs", Outcome::wrong},
                                                       {"not recognised", "unknown", Outcome::wrong}});

const Telling& telling_of(PortVerdict verdict) { return port_tellings[static_cast<std::size_t>(verdict)]; }

/// A few digits, to show how large a difference is.
std::string short_text(double value) { return text::number_text(value, std::chars_format::general, 3); }

std::string number_text(double value) { return text::float_text(static_cast<float>(value)); }

/// The given tensors; a fused one is as wrong as its worst part.
struct Counts {
  std::size_t given = 0;
  std::map<PortVerdict, std::vector<std::string>> names;  ///< as given, by verdict; another shape is wrong
};

Counts counts_of(const PortReport& report) {
  std::map<std::size_t, PortVerdict> worst;  // of each given tensor
  for (const Judged& judged : report.judgement.tensors) {
    PortVerdict& own = worst[judged.matched.given];
    own = std::max(own, judged.verdict == PortVerdict::shape ? PortVerdict::wrong : judged.verdict);
  }
  std::ranges::for_each(report.judgement.matching.unmatched,
                        [&](std::size_t given) { worst[given] = PortVerdict::unknown; });
  Counts counts{worst.size(), {}};
  for (const auto& [given, verdict] : worst) {
    counts.names[verdict].push_back(report.given[given].name);
  }
  return counts;
}

std::string numbers_text(const Judged& judged, std::int64_t cell) {
  return "here " + number_text(judged.matched.laid->values[at(cell)]) + ", right " +
         number_text(judged.right[at(cell)]);
}

/// "at [0, 1 (journey), 2 (starts)]: here 0.25, right 0.5"
std::string cell_words(const PortReport& report, const Judged& judged, std::int64_t cell) {
  const Tensor& tensor = *judged.matched.step->tensor;
  const Shape index = index_at(cell, tensor.shape());
  const std::vector<bool> are_tokens = render::token_axes(tensor, report.tokens.size());
  std::vector<std::string> tokens(index.size());
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (!report.tokens.empty() && are_tokens[axis]) {
      tokens[axis] = text::one_line(report.tokens[at(index[axis])]);
    }
  }
  return "at " + index_words(index, tokens) + ": " + numbers_text(judged, cell);
}

std::string verdict_words(const Judged& judged) {
  const Matched& matched = judged.matched;
  const Comparison& comparison = judged.comparison;
  const std::string how =
      listed({matched.theirs->name == full_name(*matched.step) ? "" : "your " + matched.theirs->name,
              matched.by == Matched::By::numbers ? "by its numbers" : "", matched.laid ? matched.laid->words : ""});
  std::string words = telling_of(judged.verdict).name;
  if (!matched.laid) {
    words += ": " + shape_text(matched.theirs->shape);
  } else if (judged.verdict != PortVerdict::right) {
    words += ": " + std::to_string(comparison.mismatched.size()) + " of " + std::to_string(comparison.cells) + " cells";
  } else if (comparison.greatest_absolute == 0) {
    words = "equal";
  } else {
    words += ": at most " + short_text(comparison.greatest_absolute) + " off";
  }
  return words + (how.empty() ? "" : " (" + text::one_line(how) + ")");
}

/// A picture of the last two axes in the first slice with a wrong cell: "x" is wrong, "." holds. `wrong` ascends.
std::vector<std::string> picture(const Shape& shape, std::span<const std::int64_t> wrong) {
  constexpr std::int64_t most_rows = 16;
  constexpr std::int64_t most_columns = 64;
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  const std::int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  const std::int64_t first = wrong.front() / (rows * columns) * (rows * columns);
  std::vector<std::string> lines;
  for (std::int64_t row = 0; row < std::min(rows, most_rows); ++row) {
    std::string& line = lines.emplace_back("  ");
    for (std::int64_t column = 0; column < std::min(columns, most_columns); ++column) {
      line += std::ranges::binary_search(wrong, first + row * columns + column) ? "x" : ".";
    }
    line += columns > most_columns ? " ..." : "";
  }
  if (rows > most_rows) {
    lines.emplace_back("  ...");
  }
  return lines;
}

/// What is wrong in a tensor, where, by how much, and why.
std::vector<std::string> details_of(const PortReport& report, const Judged& judged) {
  if (judged.verdict != PortVerdict::wrong) {
    return {};
  }
  const Comparison& comparison = judged.comparison;
  std::vector<std::string> lines = picture(judged.matched.step->tensor->shape(), comparison.mismatched);
  lines.insert(lines.begin(), "greatest absolute difference " + short_text(comparison.greatest_absolute) + " " +
                                  cell_words(report, judged, comparison.absolute_at));
  for (const Cause& cause : judged.causes) {
    lines.push_back((&cause == judged.causes.data() ? "why: " : "or:  ") + cause.sentence);
    cause.instead.empty() ? void() : lines.push_back("write: " + cause.instead);
  }
  if (judged.causes.empty()) {
    lines.emplace_back("why: no known mistake gives these numbers");
  }
  return lines;
}

/// How to go on with a tensor that was not recognised.
std::string unmatched_words(const PortReport& report, std::size_t given) {
  const std::string name = text::one_line(report.given[given].name);
  if (report.judgement.matching.undecided.contains(given)) {
    return "the contexts' numbers: right before the projection, wrong after it; --map '" + name +
           "=context_vecs' if it is before, or --map '" + name + "=output'";
  }
  if (report.given[given].values.empty() && element_count(report.given[given].shape) > 0) {
    return "not read: it has more numbers than all steps together; give the lesson's sizes, or --ignore '" + name + "'";
  }
  return "no step of this name, nor one with these numbers; try --map '" + name + "=STEP', or --ignore '" + name + "'";
}

/// "first wrong step: attn_scores (your scores): not scaled", "all 14 tensors you brought are right"; empty where
/// neither is known.
std::string first_line(const PortReport& report) {
  const Counts counts = counts_of(report);
  const auto first = std::ranges::find_if(report.judgement.tensors, [](const Judged& judged) {
    return telling_of(judged.verdict).outcome == Outcome::wrong;
  });
  if (first == report.judgement.tensors.end()) {
    return exit_code(report) == 0 && counts.given > 1
               ? "all " + std::to_string(counts.given) + " tensors " +
                     (report.ignored.empty() ? "you brought" : "compared") + " are right\n"
               : "";
  }
  const std::string name = full_name(*first->matched.step);
  const std::string& theirs = first->matched.theirs->name;
  return "first wrong step: " + name + (theirs == name ? "" : " (your `" + text::one_line(theirs) + "`)") +
         (first->causes.empty() ? "" : ": " + first->causes[0].sentence) + '\n';
}

/// What the dump was compared with, what cannot be seen, and last: "9 of 14 tensors checked and right; 5 not
/// recognised: a, b, c, d, e".
std::string summary_of(const PortReport& report) {
  Counts counts = counts_of(report);
  std::string lines = "compared with " + report.lesson + '\n';
  if (!report.judgement.way.words.empty()) {
    lines += "here " + report.judgement.way.words + ": as right as the article's way\n";
  }
  for (const std::string& sentence : report.unseen) {
    lines += sentence + "; --fixture shows it\n";
  }
  if (!report.used.empty()) {
    lines += "your " + text::one_line(text::joined(report.used, " and ")) + (report.used.size() == 1 ? " is" : " are") +
             " used; " + std::to_string(counts.given) + " computed tensor" + (counts.given == 1 ? " is" : "s are") +
             " checked\n";
  }
  lines += (report.drawn_with ? "another seed; with it, " : "") +
           std::to_string(counts.names[PortVerdict::right].size()) + " of " + std::to_string(counts.given) +
           (counts.given == 1 ? " tensor" : " tensors") + " checked and right";
  const auto add = [&lines](const std::vector<std::string>& names, const std::string& what) {
    lines += names.empty()
                 ? ""
                 : "; " + std::to_string(names.size()) + " " + what + ": " + text::one_line(text::joined(names));
  };
  add(counts.names[PortVerdict::wrong], "wrong");
  add(counts.names[PortVerdict::inherited], "inherited");
  add(counts.names[PortVerdict::unknown], "not recognised");
  add(report.ignored, "ignored");
  return lines + '\n';
}

/// A reason why mistakes change no number, and a test for it.
struct Reason {
  bool (*holds)(const Tensor& tensor);
  const char* sentence;
};

constexpr Reason reasons[] = {
    {[](const Tensor& tensor) { return tensor.operation().facts().root_of == 1; },
     "head_dim is 1: scaling cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::stack && tensor.dim() == 3 && tensor.size(0) > 1; },
     "the entries of the batch are alike: mixing them up cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::softmax && tensor.dim() == 4 && tensor.size(1) == 1; },
     "there is one head: how heads are split and joined cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::softmax && tensor.dim() >= 2 && tensor.size(-1) == 1; },
     "there is one token: scores, masks and weights cannot be seen"},
    {[](const Tensor& tensor) { return tensor.kind() == Kind::dropout && tensor.operation().facts().p == 0; },
     "dropout is 0: what is dropped, and how the rest is scaled, cannot be seen"},
};

/// Tensors in the order of computation; last those not recognised.
std::vector<Row> rows_of(const PortReport& report) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(report.file, ignored);
  std::vector<Row> rows;
  const auto add = [&](PortVerdict verdict, std::size_t given, const Judged* judged) {
    const Observed& theirs = report.given[given];
    Row& row = rows.emplace_back();
    row.outcome = telling_of(verdict).outcome;
    row.tint = {telling_of(verdict).style, telling_of(verdict).name};
    row.file = is_folder ? (std::filesystem::path(report.file) / (theirs.name + ".npy")).string() : report.file;
    row.place = judged == nullptr ? text::one_line(theirs.name) : full_name(*judged->matched.step);
    row.shape = shape_text(judged == nullptr ? theirs.shape : judged->matched.step->tensor->shape());
    row.verdict = judged == nullptr ? unmatched_words(report, given) : verdict_words(*judged);
    row.title = row.place + " " + row.shape;
    row.details = judged == nullptr ? std::vector<std::string>() : details_of(report, *judged);
  };
  if (report.drawn_with) {
    const std::string seed = report.drawn_with->text();
    Row& row = rows.emplace_back();
    row.outcome = Outcome::wrong;
    row.tint = {telling_of(PortVerdict::wrong).style, "another seed"};
    row.file = report.file;
    row.place = row.title = "seed";
    row.shape = seed;
    row.verdict = "your numbers are drawn with seed " + seed + ", and compared with it; give --seed " + seed;
  }
  for (const Judged& judged : report.judgement.tensors) {
    add(judged.verdict, judged.matched.given, &judged);
  }
  for (const std::size_t given : report.judgement.matching.unmatched) {
    add(PortVerdict::unknown, given, nullptr);
  }
  return rows;
}

}  // namespace

std::vector<std::string> unseen_in(std::span<const Step> steps) {
  std::vector<std::string> sentences;
  for (const Reason& reason : reasons) {
    if (std::ranges::any_of(steps, [&](const Step& step) { return step.tensor && reason.holds(*step.tensor); })) {
      sentences.emplace_back(reason.sentence);
    }
  }
  return sentences;
}

Sheet sheet_of(const PortReport& report, const Demands&) {
  return {report.file, rows_of(report), 0, summary_of(report)};
}

void write_text(std::ostream& out, const PortReport& report) {
  std::vector<Row> rows = rows_of(report);
  std::erase_if(rows, [&](const Row& row) { return row.outcome == Outcome::right && !report.lists_right; });
  const auto is_known = [](const Row& row) { return row.tint.style != "unknown"; };
  std::int64_t name_width = 0;
  std::int64_t shape_width = 0;
  for (const Row& row : rows) {
    name_width = std::max<std::int64_t>(name_width, is_known(row) ? std::ssize(row.place) : 0);
    shape_width = std::max<std::int64_t>(shape_width, is_known(row) ? std::ssize(row.shape) : 0);
  }
  out << first_line(report);
  for (const Row& row : rows) {
    const char* const mark = row.outcome == Outcome::right       ? "\u2713 "
                             : row.outcome == Outcome::inherited ? "~ "
                             : is_known(row)                     ? "\u2717 "
                                                                 : "? ";
    out << mark
        << (is_known(row)
                ? text::left_aligned(row.place, name_width + 2) + text::left_aligned(row.shape, shape_width + 2)
                : row.place + ' ' + row.shape + ": ")
        << row.verdict << '\n'
        << details_text(row, "    ");
  }
  out << (rows.empty() ? "" : "\n") << summary_of(report);
}

void write_html(std::ostream& out, std::span<const PortReport> reports, const std::string& version) {
  std::vector<Sheet> sheets;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    sheets.push_back(sheet_of(reports[i]));
    sheets.back().text = [rows = sheets.back().rows, i](std::ostream& pre) {
      for (std::size_t n = 0; n < rows.size(); ++n) {
        write_visible(pre, rows[n].title + '\n');
        write_tensor(pre, tensor_id(i, n), rows[n].tint, rows[n].verdict + '\n' + details_text(rows[n]), 0, {});
        pre << "\n\n";
      }
    };
  }
  write_document(out, sheets, version);
}

int exit_code(const PortReport& report) {
  Counts counts = counts_of(report);
  return counts.names[PortVerdict::right].size() == counts.given && !report.drawn_with &&
                 (counts.given > 0 || report.used.empty())
             ? 0
             : 1;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* by_names[] = {"map", "name", "name", "numbers"};  // in the order of Matched::By

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
      {"matched_by", by_names[static_cast<std::size_t>(matched.by)]},
      {"arrangement", !matched.laid || matched.laid->words.empty() ? Json(nullptr) : Json(matched.laid->words)},
      {"verdict", telling_of(judged.verdict).name}};
  const Comparison& comparison = judged.comparison;
  if (matched.laid) {
    json["cells"] = comparison.cells;
    json["mismatched_cells"] = comparison.mismatched.size();
    json["greatest_absolute"] = worst_json(judged);
  }
  json["causes"] = Json::array();
  for (const Cause& cause : judged.causes) {
    json["causes"].push_back(
        {{"names", text::split(cause.name)}, {"sentence", cause.sentence}, {"instead", cause.instead}});
  }
  return json;
}

}  // namespace

void write_json(render::JsonWriter& writer, const PortReport& report) {
  Counts counts = counts_of(report);
  const Way& way = report.judgement.way;
  Json json = {{"file", report.name},
               {"lesson", report.lesson},
               {"holds", exit_code(report) == 0},
               {"drawn_with_seed", report.drawn_with ? Json(report.drawn_with->text()) : Json(nullptr)},
               {"given", counts.given},
               {"right", counts.names[PortVerdict::right].size()},
               {"used", report.used},
               {"ignored", report.ignored},
               {"way", way.words.empty() ? Json(nullptr) : Json(way.words)},
               {"unseen", report.unseen},
               {"steps", Json::array()},
               {"unmatched", Json::array()}};
  for (const Judged& judged : report.judgement.tensors) {
    json["steps"].push_back(step_json(judged));
  }
  for (const std::size_t given : report.judgement.matching.unmatched) {
    json["unmatched"].push_back({{"name", report.given[given].name}, {"shape", report.given[given].shape}});
  }
  writer.value(json);
}

}  // namespace attn::verify
