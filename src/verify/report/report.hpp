#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "verify/explain/finding.hpp"
#include "verify/read/page.hpp"

namespace attn::verify {

/// A line for each printed tensor and size, what is wrong with it below, and a summary.
void write_report_text(std::ostream& out, const Report& report);

/// The same for programs, and the page's name. `line_break` stands before every line but the first.
void write_report_json(std::ostream& out, const std::string& file, const Report& report,
                       const std::string& line_break = "\n");

/// A page and what became of it.
struct ReportedPage {
  const Page& page;
  const Report& report;
};

/// One self-contained HTML file: the texts of pages with their tensors tinted by the verdict, cell by cell; a cell tells
/// what it should be and how that came about. Numbers of large tensors tell only what they should be, and so do those
/// after the first 20,000.
void write_report_html(std::ostream& out, std::span<const ReportedPage> pages, const std::string& version);

/// 0: nothing differs; 1: something does, or, where `strict`, is unknown.
inline int exit_code(const Report& report, bool strict = false) {
  return report.has(Verdict::differs) || (strict && report.has(Verdict::unknown)) ? 1 : 0;
}

}  // namespace attn::verify
