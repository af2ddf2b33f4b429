#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "render/json.hpp"
#include "verify/explain/finding.hpp"
#include "verify/read/page.hpp"

namespace attn::verify {

/// A page and its report.
struct ReportedPage {
  const Page& page;
  const Report& report;
};

/// The page's name in one line.
std::string name_of(const ReportedPage& reported);

/// Writes a line for each printed tensor and size, what is wrong with it below, and a summary.
void write_text(std::ostream& out, const ReportedPage& reported);

/// Writes the report as JSON, with the page's name.
void write_json(render::JsonWriter& json, const ReportedPage& reported);

/// Writes one self-contained HTML file: the pages' texts with their tensors tinted by verdict, cell by cell; each cell
/// shows its right value and the derivation. Numbers of large tensors, and those after the first 20,000, show only the
/// right value.
void write_html(std::ostream& out, std::span<const ReportedPage> pages, const std::string& version);

/// What makes a page fail besides differing numbers.
struct Demands {
  bool strict = false;           ///< a tensor or size that is unknown, or checked only in part, fails
  bool allows_mistakes = false;  ///< a known mistake does not fail
};

/// Returns true if a tensor or size is wrong, or violates a demand.
bool fails(const Finding& finding, const Demands& demands = {});

/// 0 if nothing fails, else 1.
int exit_code(const Report& report, const Demands& demands = {});

}  // namespace attn::verify
