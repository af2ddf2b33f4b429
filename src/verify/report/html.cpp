#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "verify/explain/compare.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/report/document.hpp"
#include "verify/report/lines.hpp"
#include "verify/report/report.hpp"
#include "verify/report/words.hpp"

namespace attn::verify {
namespace {

/// "same-numbers": the verdict's name in the style sheet.
std::string style_of(Verdict verdict) {
  std::string name = verdict_name(verdict);
  std::ranges::replace(name, ' ', '-');
  return name;
}

Tint tint_of(const Finding& finding) { return {style_of(finding.verdict), columns_of(finding)[3]}; }

/// The meaning of the colours.
std::vector<Tint> key() {
  std::vector<Tint> tints;
  for (const Verdict verdict : verdicts) {
    tints.push_back({style_of(verdict), verdict_name(verdict)});
  }
  tints.push_back({"wrong", "a wrong cell"});
  tints.push_back({"close", "off in the last digit"});
  return tints;
}

// ---- The text of one page -------------------------------------------------------------------------

/// Writes a page's text with its tensors marked.
class TextWriter {
 public:
  TextWriter(std::ostream& out, const ReportedPage& reported, std::size_t section, Derivations& derivations)
      : out_(out),
        text_(reported.page.text()),
        report_(reported.report),
        section_(section),
        derivations_(derivations) {}

  void write() {
    for (std::size_t i = 0; i < report_.findings.size(); ++i) {
      const Finding& finding = report_.findings[i];
      const std::size_t begin = offset_of(finding.printed->text);
      if (begin < written_) {
        continue;  // lies within a tensor already written
      }
      write_until(begin);
      write_tensor(i, begin + finding.printed->text.size());
    }
    write_until(text_.size());
  }

 private:
  std::size_t offset_of(std::string_view part) const { return static_cast<std::size_t>(part.data() - text_.data()); }

  void write_until(std::size_t end) {
    if (end > written_) {
      write_visible(out_, text_.substr(written_, end - written_));
      written_ = end;
    }
  }

  void write_tensor(std::size_t i, std::size_t end) {
    const Finding& finding = report_.findings[i];
    verify::write_tensor(out_, tensor_id(section_, i), tint_of(finding), [&] {
      if (!is_size(finding)) {
        write_cells(finding);
      }
      write_until(end);
    });
  }

  void write_cells(const Finding& finding) {
    const Printed& printed = *finding.printed;
    auto mark = finding.marks.begin();
    for (std::size_t i = 0; i < printed.cells.size(); ++i) {
      const Cell& cell = printed.cells[i];
      const bool is_marked = mark != finding.marks.end() && mark->cell == static_cast<std::int64_t>(i);
      write_until(offset_of(cell.text));
      write_cell(out_,
                 !is_marked            ? CellTint::none
                 : mark->is_last_digit ? CellTint::close
                                       : CellTint::wrong,
                 cell_words(finding, i, is_marked ? &*mark : nullptr),
                 [&] { write_until(offset_of(cell.text) + cell.text.size()); });
      mark += is_marked ? 1 : 0;
    }
  }

  /// A cell's right value and its derivation.
  std::string cell_words(const Finding& finding, std::size_t i, const Mark* mark) {
    const Printed& printed = *finding.printed;
    const Cell& cell = printed.cells[i];
    std::string words;
    if (mark && mark->is_added) {
      words = "the step has no such cell\n";
    } else if (mark) {
      words = "here " + std::string(cell.text) + ", right " + in_format_of(cell, mark->exact) + ", exactly " +
              exact_digits(mark->exact) + '\n';
    }
    if (finding.verdict == Verdict::unknown) {
      return "no lesson's step, nor anything that is printed before it, explains this number";
    }
    if (!finding.step) {
      return words + finding.relation;
    }
    const bool has_place = !finding.mistaken && finding.change.kind == Change::Kind::none && !has_gap(printed) &&
                           is_regular(printed) && same_shape(printed, finding.step->tensor->shape());
    return words + (has_place ? derivations_.of({finding.step, index_of(static_cast<std::int64_t>(i), printed.shape)},
                                                step_words(finding), finding.explanation->tokens)
                              : step_words(finding));
  }

  std::ostream& out_;
  std::string_view text_;
  const Report& report_;
  std::size_t section_;
  Derivations& derivations_;
  std::size_t written_ = 0;
};

std::string title_of(std::span<const ReportedPage> pages) {
  std::int64_t printed = 0;
  std::int64_t holding = 0;
  for (const ReportedPage& one : pages) {
    printed += one.report.count(Printed::Kind::tensor);
    holding += one.report.holding(Printed::Kind::tensor);
  }
  const std::string name = pages.size() == 1 ? name_of(pages[0]) : std::to_string(pages.size()) + " pages";
  return (name == "-" ? "standard input" : name) + ": " + std::to_string(holding) + " of " + std::to_string(printed) +
         " tensors hold";
}

}  // namespace

void write_html(std::ostream& out, std::span<const ReportedPage> pages, const std::string& version) {
  Derivations derivations;
  std::vector<Section> sections;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const Report& report = pages[i].report;
    std::string summary = report.findings.empty() ? "no printed tensor" : summary_of(report);
    for (const std::string& note : report.notes) {
      summary += note + '\n';
    }
    std::vector<ListItem> items;
    for (const Finding& finding : report.findings) {
      const Columns columns = columns_of(finding);
      items.push_back({columns[0], columns[1] + " " + columns[2], tint_of(finding), details_of(finding)});
    }
    sections.push_back({name_of(pages[i]), summary, exit_code(report) == 1,
                        std::to_string(report.findings.size()) + " tensors and sizes", std::move(items),
                        [&, i](std::ostream& pre) { TextWriter(pre, pages[i], i, derivations).write(); }});
  }
  write_document(out, title_of(pages), key(), sections, version);
}

}  // namespace attn::verify
