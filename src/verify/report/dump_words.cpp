#include "verify/report/dump.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>

#include "lesson/lineage.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::verify {
namespace {

/// A few digits, to show how large a difference is.
std::string short_text(double value) { return text::number_text(value, std::chars_format::general, 3); }

std::string number_text(double value) { return text::float_text(static_cast<float>(value)); }

/// "[0, 1 (journey), 2 (starts)]"
std::string index_words(const PortReport& report, const Tensor& tensor, std::int64_t cell) {
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

std::string cell_words(const PortReport& report, const Judged& judged, std::int64_t cell, double right) {
  return "at " + index_words(report, *judged.matched.step->tensor, cell) + ": " + numbers_text(judged, cell, right);
}

/// A picture of the last two axes in the first slice with a wrong cell: "x" is wrong, "." holds.
std::vector<std::string> picture(const Judged& judged) {
  constexpr std::int64_t most_rows = 16;
  constexpr std::int64_t most_columns = 64;
  const Shape& shape = judged.matched.step->tensor->shape();
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  const std::int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  const std::int64_t first = judged.comparison.mismatched.front() / (rows * columns) * (rows * columns);
  std::vector<std::string> lines;
  for (std::int64_t row = 0; row < std::min(rows, most_rows); ++row) {
    std::string line;
    for (std::int64_t column = 0; column < std::min(columns, most_columns); ++column) {
      line += std::ranges::binary_search(judged.comparison.mismatched, first + row * columns + column) ? "x" : ".";
    }
    lines.push_back(line + (columns > most_columns ? " ..." : ""));
  }
  if (rows > most_rows) {
    lines.emplace_back("...");
  }
  return lines;
}

std::string mark(PortVerdict verdict) {
  switch (verdict) {
    case PortVerdict::right: return "\u2713";
    case PortVerdict::inherited: return "~";
    case PortVerdict::wrong:
    case PortVerdict::shape: break;
  }
  return "\u2717";
}

std::string result_words(const Judged& judged) {
  if (!judged.matched.laid) {
    return std::string(judged.verdict == PortVerdict::inherited ? "inherited, " : "") +
           "another shape: " + shape_text(judged.matched.theirs->shape);
  }
  const Comparison& comparison = judged.comparison;
  if (judged.verdict == PortVerdict::right) {
    return comparison.greatest_absolute == 0 ? "equal"
                                             : "holds, within " + short_text(comparison.greatest_ulps) + " ulp";
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
  lines.push_back("up to " + short_text(comparison.greatest_ulps) + " ulp" +
                  (passing.empty() ? "; no tolerance passes" : "; passes with " + passing));
  for (const std::string& row : picture(judged)) {
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

/// "these numbers are drawn with seed 7; give --seed 7"
std::string seed_words(const PortReport& report) {
  const std::string seed = report.seed.text();
  return "your numbers are drawn with seed " + seed + ", and compared with it; give --seed " + seed;
}

/// "9 of 14 tensors checked and right; 5 not recognised: a, b, c, d, e"
std::string last_line(const PortReport& report) {
  const Counts counts = counts_of(report);
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

}  // namespace

std::string numbers_text(const Judged& judged, std::int64_t cell, double right) {
  return "here " + number_text(judged.matched.laid->values[static_cast<std::size_t>(cell)]) + ", right " +
         number_text(right);
}

std::string verdict_name(PortVerdict verdict) {
  switch (verdict) {
    case PortVerdict::right: return "holds";
    case PortVerdict::wrong: return "wrong here";
    case PortVerdict::inherited: return "inherited";
    case PortVerdict::shape: break;
  }
  return "another shape";
}

bool is_unread(const Observed& tensor) { return tensor.values.empty() && element_count(tensor.shape) > 0; }

Counts counts_of(const PortReport& report) {
  Counts counts{report.given.size(), 0, {}, {}, {}};
  for (std::size_t i = 0; i < report.given.size(); ++i) {
    std::set<PortVerdict> found;
    for (const Judged& judged : report.judgement.tensors) {
      if (judged.matched.given == i) {
        found.insert(judged.verdict);
      }
    }
    const std::string& name = report.given[i].name;
    if (found.empty()) {
      counts.unknown.push_back(name);
    } else if (found == std::set{PortVerdict::right}) {
      ++counts.right;
    } else {
      (found.contains(PortVerdict::wrong) || found.contains(PortVerdict::shape) ? counts.wrong : counts.inherited)
          .push_back(name);
    }
  }
  return counts;
}

std::vector<Row> rows_of(const PortReport& report) {
  std::vector<Row> rows;
  if (report.asked_seed) {
    rows.push_back({nullptr,
                    report.given.size(),
                    mark(PortVerdict::wrong),
                    "seed",
                    report.asked_seed->text(),
                    seed_words(report),
                    {}});
  }
  for (const Judged& judged : report.judgement.tensors) {
    const std::string how = how_words(judged.matched);
    Row row{&judged,
            judged.matched.given,
            mark(judged.verdict),
            full_name(*judged.matched.step),
            shape_text(judged.matched.step->tensor->shape()),
            result_words(judged) + (how.empty() ? "" : " (" + how + ")"),
            {}};
    if (judged.verdict == PortVerdict::shape) {
      std::ranges::transform(judged.causes, std::back_inserter(row.details),
                             [](const Cause& cause) { return "why: " + cause.sentence; });
    }
    if (judged.verdict == PortVerdict::wrong) {
      row.details = wrong_lines(report, judged);
      append_causes(row.details, judged);
    }
    rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < report.judgement.unmatched.size(); ++i) {
    const std::size_t given = report.judgement.unmatched[i];
    const std::string name = text::one_line(report.given[given].name);
    const std::string& relation = report.judgement.relations[i];
    rows.push_back(
        {nullptr,
         given,
         "?",
         name,
         shape_text(report.given[given].shape),
         report.judgement.undecided.contains(given)
             ? "the contexts' numbers: right before the projection, wrong after it; --map '" + name +
                   "=context_vecs' if it is before, or --map '" + name + "=output'"
         : is_unread(report.given[given])
             ? "not read: it has more numbers than all steps together; give the lesson's sizes, or --ignore '" + name +
                   "'"
         : relation.empty()
             ? "no step of this name, nor one with these numbers; try --map '" + name + "=STEP', or --ignore '" + name +
                   "'"
             : "not a step of this lesson; it is " + relation + "; --ignore '" + name + "' leaves it out",
         {}});
  }
  return rows;
}

std::string summary_of(const PortReport& report) {
  std::string lines = "compared with " + report.lesson + '\n';
  if (!report.judgement.way.words.empty()) {
    lines += "here " + report.judgement.way.words + ": as right as the article's way\n";
  }
  for (const std::string& sentence : report.unseen) {
    lines += sentence + "; " + report.to_see + '\n';
  }
  return lines + last_line(report) + '\n';
}

int exit_code(const PortReport& report) {
  const Counts counts = counts_of(report);
  return counts.right == counts.given && !report.asked_seed ? 0 : 1;
}

}  // namespace attn::verify
