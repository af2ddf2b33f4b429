#include "verify/port/report.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <system_error>
#include <utility>

#include "lesson/lineage.hpp"
#include "text/columns.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/report/report.hpp"

namespace attn::verify {
namespace {

/// How a verdict is told.
struct Look {
  const char* mark;
  const char* style;
  const char* words;
  Outcome outcome;
};

constexpr Look unmatched_look = {"?", "unknown", "not recognised", Outcome::wrong};

Look look_of(PortVerdict verdict) {
  switch (verdict) {
    case PortVerdict::right: return {"\u2713", "same", "holds", Outcome::right};
    case PortVerdict::wrong: return {"\u2717", "differs", "wrong here", Outcome::wrong};
    case PortVerdict::inherited: return {"~", "inherited", "inherited", Outcome::inherited};
    case PortVerdict::shape: break;
  }
  return {"\u2717", "differs", "another shape", Outcome::wrong};
}

/// A few digits, to show how large a difference is.
std::string short_text(double value) { return text::number_text(value, std::chars_format::general, 3); }

std::string number_text(double value) { return text::float_text(static_cast<float>(value)); }

/// "at [0, 1 (journey), 2 (starts)]: here 0.25, right 0.5"
std::string cell_words(const PortReport& report, const Judged& judged, std::int64_t cell, double right) {
  const Tensor& tensor = *judged.matched.step->tensor;
  const Shape index = index_at(cell, tensor.shape());
  const std::vector<bool> are_tokens = render::token_axes(tensor, report.tokens.size());
  std::vector<std::string> tokens(index.size());
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (!report.tokens.empty() && are_tokens[axis]) {
      tokens[axis] = text::one_line(report.tokens[static_cast<std::size_t>(index[axis])]);
    }
  }
  return "at " + index_words(index, tokens) + ": " + numbers_text(judged, cell, right);
}

std::string result_words(const Judged& judged) {
  if (!judged.matched.laid) {
    return std::string(judged.verdict == PortVerdict::inherited ? "inherited, " : "") +
           "another shape: " + shape_text(judged.matched.theirs->shape);
  }
  const Comparison& comparison = judged.comparison;
  if (judged.verdict == PortVerdict::right) {
    return comparison.greatest_absolute == 0
               ? "equal"
               : "holds: at most " + short_text(comparison.greatest_absolute) + " off, at " +
                     shape_text(index_at(comparison.absolute_at, judged.matched.step->tensor->shape())) + ", where " +
                     number_text(comparison.absolute_right) + " is right";
  }
  return verdict_name(judged.verdict) + ": " + std::to_string(comparison.mismatched.size()) + " of " +
         std::to_string(comparison.cells) + " cells";
}

std::string how_words(const Matched& matched) {
  std::string words =
      matched.theirs->name == full_name(*matched.step) ? "" : "your " + text::one_line(matched.theirs->name);
  const auto add = [&words](const std::string& more) { words += (words.empty() || more.empty() ? "" : ", ") + more; };
  add(matched.by == Matched::By::numbers ? "by its numbers" : "");
  add(matched.laid ? matched.laid->words : "");
  return words;
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
    std::string line;
    for (std::int64_t column = 0; column < std::min(columns, most_columns); ++column) {
      line += std::ranges::binary_search(wrong, first + row * columns + column) ? "x" : ".";
    }
    lines.push_back(line + (columns > most_columns ? " ..." : ""));
  }
  if (rows > most_rows) {
    lines.emplace_back("...");
  }
  return lines;
}

std::vector<std::string> wrong_lines(const PortReport& report, const Judged& judged) {
  const Comparison& comparison = judged.comparison;
  std::vector<std::string> lines = {"greatest absolute difference " + short_text(comparison.greatest_absolute) + " " +
                                    cell_words(report, judged, comparison.absolute_at, comparison.absolute_right)};
  if (comparison.greatest_relative > 0) {
    lines.push_back("greatest relative difference " + short_text(comparison.greatest_relative) + " " +
                    cell_words(report, judged, comparison.relative_at, comparison.relative_right));
  }
  std::string passing;
  if (comparison.passing_atol) {
    passing = "--atol " + short_text(*comparison.passing_atol * 1.001);
  }
  if (comparison.passing_rtol) {
    passing += (passing.empty() ? "" : " or ") + std::string("--rtol ") + short_text(*comparison.passing_rtol * 1.001);
  }
  lines.push_back(passing.empty() ? "no tolerance passes" : "passes with " + passing);
  for (const std::string& row : picture(judged.matched.step->tensor->shape(), comparison.mismatched)) {
    lines.push_back("  " + row);
  }
  return lines;
}

void append_causes(std::vector<std::string>& lines, const Judged& judged) {
  if (!judged.whose.empty()) {
    lines.push_back("named " + text::one_line(judged.matched.theirs->name) + ", but these are the numbers of " +
                    judged.whose);
  } else if (judged.causes.empty()) {
    lines.emplace_back("why: no known mistake gives these numbers");
  }
  for (std::size_t i = 0; i < judged.causes.size(); ++i) {
    const Cause& cause = judged.causes[i];
    const bool is_claimed = cause.explained == judged.comparison.cells;
    lines.push_back((i > 0        ? "or:  "
                     : is_claimed ? "why: "
                                  : "perhaps: ") +
                    cause.sentence + " (explains " + std::to_string(cause.explained) + " of " +
                    std::to_string(judged.comparison.cells) + " cells)");
    if (!cause.instead.empty()) {
      lines.push_back("write: " + cause.instead);
    }
  }
}

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  std::ranges::transform(names, std::back_inserter(lines),
                         [](const std::string& name) { return text::one_line(name); });
  return text::joined(lines);
}

/// A row for a tensor, whose file is its own in a folder.
PortRow row_of(const PortReport& report, std::size_t given, const Look& look) {
  std::error_code unknown;
  const bool is_in_folder = given < report.given.size() && std::filesystem::is_directory(report.file, unknown);
  const std::filesystem::path file = report.file;
  PortRow row;
  row.outcome = look.outcome;
  row.tint = {look.style, look.words};
  row.mark = look.mark;
  row.given = given;
  row.file = is_in_folder ? (file / (report.given[given].name + ".npy")).string() : report.file;
  return row;
}

PortRow row_of_seed(const PortReport& report) {
  const std::string seed = report.seed.text();
  PortRow row = row_of(report, report.given.size(), unmatched_look);
  row.mark = look_of(PortVerdict::wrong).mark;
  row.place = "seed";
  row.shape = report.asked_seed->text();
  row.verdict = "your numbers are drawn with seed " + seed + ", and compared with it; give --seed " + seed;
  return row;
}

PortRow row_of(const PortReport& report, const Judged& judged) {
  const std::string how = how_words(judged.matched);
  PortRow row = row_of(report, judged.matched.given, look_of(judged.verdict));
  row.judged = &judged;
  row.place = full_name(*judged.matched.step);
  row.shape = shape_text(judged.matched.step->tensor->shape());
  row.verdict = result_words(judged) + (how.empty() ? "" : " (" + how + ")");
  if (judged.verdict == PortVerdict::shape) {
    std::ranges::transform(judged.causes, std::back_inserter(row.details),
                           [](const Cause& cause) { return "why: " + cause.sentence; });
  }
  if (judged.verdict == PortVerdict::wrong) {
    row.details = wrong_lines(report, judged);
    append_causes(row.details, judged);
  }
  return row;
}

/// How to go on with a tensor that was not recognised.
std::string unmatched_words(const PortReport& report, std::size_t given, const std::string& relation) {
  const std::string name = text::one_line(report.given[given].name);
  if (report.judgement.undecided.contains(given)) {
    return "the contexts' numbers: right before the projection, wrong after it; --map '" + name +
           "=context_vecs' if it is before, or --map '" + name + "=output'";
  }
  if (is_unread(report.given[given])) {
    return "not read: it has more numbers than all steps together; give the lesson's sizes, or --ignore '" + name + "'";
  }
  return relation.empty() ? "no step of this name, nor one with these numbers; try --map '" + name +
                                "=STEP', or --ignore '" + name + "'"
                          : "not a step of this lesson; it is " + relation + "; --ignore '" + name + "' leaves it out";
}

PortRow row_of_unmatched(const PortReport& report, std::size_t i) {
  PortRow row = row_of(report, report.judgement.unmatched[i], unmatched_look);
  row.place = text::one_line(report.given[row.given].name);
  row.shape = shape_text(report.given[row.given].shape);
  row.verdict = unmatched_words(report, row.given, report.judgement.relations[i]);
  return row;
}

/// "first wrong step: attn_scores (your scores): not scaled", "all 14 tensors you brought are right"; empty where
/// neither is known.
std::string first_line(const PortReport& report) {
  const PortCounts counts = counts_of(report);
  const auto first = std::ranges::find_if(report.judgement.tensors, [](const Judged& judged) {
    return judged.verdict == PortVerdict::wrong || judged.verdict == PortVerdict::shape;
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
         (first->causes.empty() || first->causes[0].explained != first->comparison.cells
              ? ""
              : ": " + first->causes[0].sentence) +
         '\n';
}

/// "9 of 14 tensors checked and right; 5 not recognised: a, b, c, d, e"
std::string last_line(const PortReport& report) {
  const PortCounts counts = counts_of(report);
  std::string line = std::string(report.asked_seed ? "another seed; with it, " : "") + std::to_string(counts.right) +
                     " of " + std::to_string(counts.given) + (counts.given == 1 ? " tensor" : " tensors") +
                     " checked and right";
  const auto add = [&line](const std::vector<std::string>& names, const std::string& what) {
    line += names.empty() ? "" : "; " + std::to_string(names.size()) + " " + what + ": " + listed(names);
  };
  add(counts.wrong, "wrong");
  add(counts.inherited, "inherited");
  add(counts.unknown, "not recognised");
  add(report.ignored, "ignored");
  return line;
}

/// "your x and 4 weights are used; 9 computed tensors are checked"
std::string used_line(const PortReport& report) {
  const std::size_t checked = counts_of(report).given;
  return report.used.empty() ? ""
                             : "your " + text::one_line(text::joined(report.used, " and ")) +
                                   (report.used.size() == 1 ? " is" : " are") + " used; " + std::to_string(checked) +
                                   " computed tensor" + (checked == 1 ? " is" : "s are") + " checked\n";
}

}  // namespace

std::string numbers_text(const Judged& judged, std::int64_t cell, double right) {
  return "here " + number_text(judged.matched.laid->values[static_cast<std::size_t>(cell)]) + ", right " +
         number_text(right);
}

std::string verdict_name(PortVerdict verdict) { return look_of(verdict).words; }

bool is_unread(const Observed& tensor) { return tensor.values.empty() && element_count(tensor.shape) > 0; }

PortCounts counts_of(const PortReport& report) {
  std::map<std::size_t, std::set<PortVerdict>> found;
  for (const Judged& judged : report.judgement.tensors) {
    found[judged.matched.given].insert(judged.verdict);
  }
  std::ranges::for_each(report.judgement.unmatched, [&](std::size_t given) { found[given]; });
  PortCounts counts;
  counts.given = found.size();
  for (const auto& [given, verdicts] : found) {
    if (verdicts == std::set{PortVerdict::right}) {
      ++counts.right;
    } else {
      (verdicts.empty()                                                                 ? counts.unknown
       : verdicts.contains(PortVerdict::wrong) || verdicts.contains(PortVerdict::shape) ? counts.wrong
                                                                                        : counts.inherited)
          .push_back(report.given[given].name);
    }
  }
  return counts;
}

std::vector<PortRow> rows_of(const PortReport& report) {
  std::vector<PortRow> rows;
  if (report.asked_seed) {
    rows.push_back(row_of_seed(report));
  }
  for (const Judged& judged : report.judgement.tensors) {
    rows.push_back(row_of(report, judged));
  }
  for (std::size_t i = 0; i < report.judgement.unmatched.size(); ++i) {
    rows.push_back(row_of_unmatched(report, i));
  }
  std::ranges::for_each(rows, [](PortRow& row) { row.title = row.place + " " + row.shape; });
  return rows;
}

Sheet sheet_of(const PortReport& report, const Demands&) {
  Sheet sheet = {report.file, {}, 0, summary_of(report)};
  for (PortRow& row : rows_of(report)) {
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

std::string summary_of(const PortReport& report) {
  std::string lines = "compared with " + report.lesson + '\n';
  if (!report.judgement.way.words.empty()) {
    lines += "here " + report.judgement.way.words + ": as right as the article's way\n";
  }
  if (report.judgement.untried > 0) {
    lines += std::to_string(report.judgement.untried) + " known mistakes were not tried: they take long at this size\n";
  }
  for (const std::string& sentence : report.unseen) {
    lines += sentence + "; " + report.to_see + '\n';
  }
  lines += used_line(report);
  return lines + last_line(report) + '\n';
}

void write_text(std::ostream& out, const PortReport& report) {
  constexpr std::ptrdiff_t many = 24;  ///< rows of right tensors, which are one line then
  std::vector<PortRow> rows = rows_of(report);
  std::vector<std::string> right;
  const auto is_right = [](const PortRow& row) { return row.outcome == Outcome::right; };
  if (std::ranges::count_if(rows, is_right) > many) {
    std::ranges::for_each(rows, [&](const PortRow& row) { is_right(row) ? right.push_back(row.place) : void(); });
    std::erase_if(rows, is_right);
  }
  std::int64_t name_width = 0;
  std::int64_t shape_width = 0;
  for (const PortRow& row : rows) {
    name_width = std::max<std::int64_t>(name_width, row.judged ? std::ssize(row.place) : 0);
    shape_width = std::max<std::int64_t>(shape_width, row.judged ? std::ssize(row.shape) : 0);
  }
  out << first_line(report);
  for (const PortRow& row : rows) {
    out << row.mark << ' '
        << (row.judged ? text::left_aligned(row.place, name_width + 2) + text::left_aligned(row.shape, shape_width + 2)
                       : row.place + ' ' + row.shape + ": ")
        << row.verdict << '\n'
        << details_text(row, "    ");
  }
  out << (right.empty() ? "" : std::string(look_of(PortVerdict::right).mark) + " hold: " + text::joined(right) + '\n')
      << '\n'
      << summary_of(report);
}

int exit_code(const PortReport& report) {
  const PortCounts counts = counts_of(report);
  const bool is_any_checked = counts.given > 0 || report.used.empty();
  return counts.right == counts.given && is_any_checked && !report.asked_seed ? 0 : 1;
}

}  // namespace attn::verify
