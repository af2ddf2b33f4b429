#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "render/json.hpp"
#include "verify/explain/finding.hpp"
#include "verify/read/page.hpp"

namespace attn::verify {

/// A line for each printed tensor and size, what is wrong with it below, and a summary.
void write_report_text(std::ostream& out, const Report& report);

/// The same for programs, and the page's name.
void write_report_json(render::JsonWriter& json, const std::string& file, const Report& report);

/// A page and what became of it.
struct ReportedPage {
  const Page& page;
  const Report& report;
};

/// One self-contained HTML file: the texts of pages with their tensors tinted by the verdict, cell by cell; a cell
/// tells what it should be and how that came about. Numbers of large tensors tell only what they should be, and so do
/// those after the first 20,000.
void write_report_html(std::ostream& out, std::span<const ReportedPage> pages, const std::string& version);

/// What makes a page fail besides numbers that differ.
struct Demands {
  bool strict = false;           ///< a tensor or size that is unknown
  bool allows_mistakes = false;  ///< a known mistake does not
};

/// 0: nothing is wrong, and nothing that `demands` names; 1 otherwise.
int exit_code(const Report& report, const Demands& demands = {});

}  // namespace attn::verify
