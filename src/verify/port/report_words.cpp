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

Tint tint_of(PortVerdict verdict) {
  switch (verdict) {
    case PortVerdict::right: return {"same", "holds"};
    case PortVerdict::wrong: return {"differs", "wrong here"};
    case PortVerdict::inherited: return {"inherited", "inherited"};
    case PortVerdict::shape: break;
  }
  return {"differs", "another shape"};
}

/// A few digits, to show how large a difference is.
std::string short_text(double value) { return text::number_text(value, std::chars_format::general, 3); }

std::string number_text(double value) { return text::float_text(static_cast<float>(value)); }

/// The words that are not empty: "a, b"; names in one line each.
std::string listed(std::vector<std::string> words) {
  std::erase(words, "");
  std::ranges::transform(words, words.begin(), [](const std::string& word) { return text::one_line(word); });
  return text::joined(words);
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
  const std::vector<std::string> how = {
      matched.theirs->name == full_name(*matched.step) ? "" : "your " + text::one_line(matched.theirs->name),
      matched.by == Matched::By::numbers ? "by its numbers" : "", matched.laid ? matched.laid->words : ""};
  std::string words = verdict_name(judged.verdict);
  if (!matched.laid) {
    words = (judged.verdict == PortVerdict::inherited ? "inherited, another shape: " : "another shape: ") +
            shape_text(matched.theirs->shape);
  } else if (judged.verdict != PortVerdict::right) {
    words += ": " + std::to_string(comparison.mismatched.size()) + " of " + std::to_string(comparison.cells) + " cells";
  } else if (comparison.greatest_absolute == 0) {
    words = "equal";
  } else {
    words += ": at most " + short_text(comparison.greatest_absolute) + " off, at " +
             shape_text(index_at(comparison.absolute_at, matched.step->tensor->shape())) + ", where " +
             number_text(judged.right[at(comparison.absolute_at)]) + " is right";
  }
  const std::string all = listed(how);
  return words + (all.empty() ? "" : " (" + all + ")");
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

/// What is wrong in a tensor, where, by how much, and why.
std::vector<std::string> details_of(const PortReport& report, const Judged& judged) {
  const Comparison& comparison = judged.comparison;
  std::vector<std::string> lines;
  if (judged.verdict == PortVerdict::right || judged.verdict == PortVerdict::inherited) {
    return lines;
  }
  if (judged.verdict == PortVerdict::wrong) {
    lines.push_back("greatest absolute difference " + short_text(comparison.greatest_absolute) + " " +
                    cell_words(report, judged, comparison.absolute_at));
    if (comparison.greatest_relative > 0) {
      lines.push_back("greatest relative difference " + short_text(comparison.greatest_relative) + " " +
                      cell_words(report, judged, comparison.relative_at));
    }
    for (const std::string& row : picture(judged.matched.step->tensor->shape(), comparison.mismatched)) {
      lines.push_back("  " + row);
    }
    if (judged.causes.empty()) {
      lines.emplace_back("why: no known mistake gives these numbers");
    }
  }
  for (const Cause& cause : judged.causes) {
    lines.push_back((&cause == judged.causes.data() ? "why: " : "or:  ") + cause.sentence);
    cause.instead.empty() ? void() : lines.push_back("write: " + cause.instead);
  }
  return lines;
}

/// How to go on with a tensor that was not recognised.
std::string unmatched_words(const PortReport& report, std::size_t given) {
  const std::string name = text::one_line(report.given[given].name);
  if (report.judgement.undecided.contains(given)) {
    return "the contexts' numbers: right before the projection, wrong after it; --map '" + name +
           "=context_vecs' if it is before, or --map '" + name + "=output'";
  }
  if (is_unread(report.given[given])) {
    return "not read: it has more numbers than all steps together; give the lesson's sizes, or --ignore '" + name + "'";
  }
  return "no step of this name, nor one with these numbers; try --map '" + name + "=STEP', or --ignore '" + name + "'";
}

const char* mark_of(const PortRow& row) {
  return row.outcome == Outcome::right       ? "\u2713"
         : row.outcome == Outcome::inherited ? "~"
         : row.tint.style == "unknown"       ? "?"
                                             : "\u2717";
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
         (first->causes.empty() ? "" : ": " + first->causes[0].sentence) + '\n';
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

std::string numbers_text(const Judged& judged, std::int64_t cell) {
  return "here " + number_text(judged.matched.laid->values[at(cell)]) + ", right " +
         number_text(judged.right[at(cell)]);
}

std::string verdict_name(PortVerdict verdict) { return tint_of(verdict).words; }

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
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(report.file, ignored);
  std::vector<PortRow> rows;
  const auto add = [&](std::size_t given, const Tint& tint, const std::string& place, const std::string& shape,
                       const std::string& verdict) -> PortRow& {
    PortRow& row = rows.emplace_back();
    row.given = given;
    row.tint = tint;
    row.outcome = tint.style == "same"        ? Outcome::right
                  : tint.style == "inherited" ? Outcome::inherited
                                              : Outcome::wrong;
    row.file = is_folder && given < report.given.size()
                   ? (std::filesystem::path(report.file) / (report.given[given].name + ".npy")).string()
                   : report.file;
    row.place = place;
    row.shape = shape;
    row.verdict = verdict;
    row.title = place + " " + shape;
    return row;
  };
  if (report.asked_seed) {
    const std::string seed = report.seed.text();
    add(report.given.size(), {"differs", "another seed"}, "seed", report.asked_seed->text(),
        "your numbers are drawn with seed " + seed + ", and compared with it; give --seed " + seed);
  }
  for (const Judged& judged : report.judgement.tensors) {
    PortRow& row = add(judged.matched.given, tint_of(judged.verdict), full_name(*judged.matched.step),
                       shape_text(judged.matched.step->tensor->shape()), verdict_words(judged));
    row.judged = &judged;
    row.details = details_of(report, judged);
  }
  for (const std::size_t given : report.judgement.unmatched) {
    add(given, {"unknown", "not recognised"}, text::one_line(report.given[given].name),
        shape_text(report.given[given].shape), unmatched_words(report, given));
  }
  return rows;
}

Sheet sheet_of(const PortReport& report, const Demands&) {
  const std::vector<PortRow> rows = rows_of(report);
  return {report.file, {rows.begin(), rows.end()}, 0, summary_of(report)};
}

std::string summary_of(const PortReport& report) {
  std::string lines = "compared with " + report.lesson + '\n';
  if (!report.judgement.way.words.empty()) {
    lines += "here " + report.judgement.way.words + ": as right as the article's way\n";
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
    out << mark_of(row) << ' '
        << (row.judged ? text::left_aligned(row.place, name_width + 2) + text::left_aligned(row.shape, shape_width + 2)
                       : row.place + ' ' + row.shape + ": ")
        << row.verdict << '\n'
        << details_text(row, "    ");
  }
  out << (right.empty() ? "" : std::string("\u2713 hold: ") + text::joined(right) + '\n') << '\n' << summary_of(report);
}

int exit_code(const PortReport& report) {
  const PortCounts counts = counts_of(report);
  const bool is_any_checked = counts.given > 0 || report.used.empty();
  return counts.right == counts.given && is_any_checked && !report.asked_seed ? 0 : 1;
}

}  // namespace attn::verify
