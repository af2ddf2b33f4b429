#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "lesson/derivation.hpp"
#include "render/page/template.hpp"
#include "text/lines.hpp"
#include "verify/explain/compare.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/report/lines.hpp"
#include "verify/report/report.hpp"
#include "verify/report/words.hpp"

namespace attn::verify {

/// src/verify/report/page, made strings by embed.cmake.
namespace report_page {
extern const std::string_view report_html;
extern const std::string_view report_css;
extern const std::string_view report_js;
}  // namespace report_page

namespace {

using render::escaped;
using render::verbatim;
using render::write_escaped;
using render::write_filled;

/// Derivations are a thousand times as long as the cells that they belong to: so many of them make a page of some
/// 20 MB, and the tensors that PyTorch prints whole have at most so many cells.
constexpr std::size_t most_derivations = 20'000;
constexpr std::size_t most_cells = 1'000;

/// "same-numbers": the verdict's name in the style sheet.
std::string class_of(Verdict verdict) {
  std::string name = verdict_name(verdict);
  std::ranges::replace(name, ' ', '-');
  return name;
}

void write_visible(std::ostream& out, std::string_view text) { write_escaped(out, text::visible(text)); }

void write_verdict(std::ostream& out, const Finding& finding) {
  out << "<span class=\"verdict " << class_of(finding.verdict) << "\">";
  write_visible(out, columns_of(finding)[3]);
  out << "</span>";
}

/// What the colours mean.
void write_key(std::ostream& out) {
  for (const Verdict verdict : verdicts) {
    out << "<span class=\"" << class_of(verdict) << "\">" << verdict_name(verdict) << "</span> ";
  }
  out << "<span class=\"wrong\">a wrong cell</span> <span class=\"close\">off in the last digit</span>";
}

// ---- The text of one page -------------------------------------------------------------------------

/// Writes a page's text with its tensors marked.
class TextWriter {
 public:
  TextWriter(std::ostream& out, const ReportedPage& reported, std::string id, std::size_t& derivations)
      : out_(out),
        text_(reported.page.text()),
        report_(reported.report),
        id_(std::move(id)),
        derivations_(derivations) {}

  void write() {
    for (std::size_t i = 0; i < report_.findings.size(); ++i) {
      const Finding& finding = report_.findings[i];
      const std::size_t begin = offset_of(finding.printed->text);
      if (begin < written_) {
        continue;  // part of what is written already
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
    out_ << "<span class=\"tensor " << class_of(finding.verdict) << "\" id=\"" << id_ << '-' << i + 1
         << "\" tabindex=\"0\">";
    if (!is_size(finding)) {
      write_cells(finding);
    }
    write_until(end);
    out_ << "</span><span class=\"said\">";
    write_verdict(out_, finding);
    out_ << "</span>";
  }

  void write_cells(const Finding& finding) {
    const Printed& printed = *finding.printed;
    auto mark = finding.marks.begin();
    for (std::size_t i = 0; i < printed.cells.size(); ++i) {
      const Cell& cell = printed.cells[i];
      const bool is_marked = mark != finding.marks.end() && mark->cell == static_cast<std::int64_t>(i);
      write_until(offset_of(cell.text));
      out_ << "<span class=\"cell" << (!is_marked ? "" : mark->is_last_digit ? " close" : " wrong") << "\" title=\"";
      write_visible(out_, cell_words(finding, i, is_marked ? &*mark : nullptr));
      out_ << "\">";
      write_until(offset_of(cell.text) + cell.text.size());
      out_ << "</span>";
      mark += is_marked ? 1 : 0;
    }
  }

  /// What the cell should be, and how that came about.
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
    const Tensor& tensor = *finding.step->tensor;
    const bool has_place = !finding.mistaken && finding.change.kind == Change::Kind::none && !has_gap(printed) &&
                           is_regular(printed) && same_shape(printed, tensor.shape()) &&
                           printed.cells.size() <= most_cells;
    if (!has_place || derivations_ == 0) {
      return words + step_words(finding);
    }
    --derivations_;
    return words + step_words(finding) + '\n' +
           render::derivation_text({finding.step, index_of(static_cast<std::int64_t>(i), printed.shape)}, 1,
                                   finding.explanation->tokens, {});
  }

  std::ostream& out_;
  std::string_view text_;
  const Report& report_;
  std::string id_;
  std::size_t& derivations_;  ///< that may still be written
  std::size_t written_ = 0;
};

// ---- What was found -------------------------------------------------------------------------------

void write_finding(std::ostream& out, const Finding& finding, const std::string& id) {
  const Columns columns = columns_of(finding);
  out << "<li><a href=\"#" << id << "\">" << columns[0] << "</a> ";
  write_visible(out, columns[1] + " " + columns[2] + " ");
  write_verdict(out, finding);
  if (const std::string details = details_of(finding); !details.empty()) {
    out << "<div class=\"detail\">";
    write_visible(out, details);
    out << "</div>";
  }
  out << "</li>\n";
}

std::string title_of(std::span<const ReportedPage> pages) {
  std::int64_t printed = 0;
  std::int64_t holding = 0;
  for (const ReportedPage& one : pages) {
    printed += one.report.count(Printed::Kind::tensor);
    holding += one.report.holding(Printed::Kind::tensor);
  }
  const std::string name =
      pages.size() == 1 ? text::one_line(pages[0].page.name()) : std::to_string(pages.size()) + " pages";
  return (name == "-" ? "standard input" : name) + ": " + std::to_string(holding) + " of " + std::to_string(printed) +
         " tensors hold";
}

}  // namespace

void write_report_html(std::ostream& out, std::span<const ReportedPage> pages, const std::string& version) {
  const render::Cut page = render::cut_out(std::string(report_page::report_html), "page");
  std::size_t derivations = most_derivations;
  const auto write_page = [&](std::ostream& to, std::size_t i) {
    const ReportedPage& one = pages[i];
    const std::string id = "page-" + std::to_string(i + 1);
    std::string summary = one.report.findings.empty() ? "no printed tensor" : summary_of(one.report);
    for (const std::string& note : one.report.notes) {
      summary += note + '\n';
    }
    write_filled(to, page.inner,
                 {{"id", verbatim(id)},
                  {"name", escaped(text::one_line(one.page.name()))},
                  {"summary", escaped(text::visible(summary))},
                  {"open", verbatim(exit_code(one.report) == 1 ? " open" : "")},
                  {"caption", escaped(std::to_string(one.report.findings.size()) + " tensors and sizes")},
                  {"findings",
                   [&](std::ostream& list) {
                     for (std::size_t n = 0; n < one.report.findings.size(); ++n) {
                       write_finding(list, one.report.findings[n], id + "-" + std::to_string(n + 1));
                     }
                   }},
                  {"text", [&](std::ostream& pre) { TextWriter(pre, one, id, derivations).write(); }}});
  };
  write_filled(out, page.rest,
               {{"title", escaped(title_of(pages))},
                {"version", escaped(version)},
                {"style", verbatim(report_page::report_css)},
                {"script", verbatim(report_page::report_js)},
                {"key", write_key},
                {"page", [&](std::ostream& to) {
                   for (std::size_t i = 0; i < pages.size(); ++i) {
                     write_page(to, i);
                   }
                 }}});
}

}  // namespace attn::verify
