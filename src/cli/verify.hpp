#pragma once

#include <algorithm>
#include <iterator>
#include <ostream>
#include <type_traits>

#include "cli/options.hpp"
#include "render/json.hpp"
#include "text/lines.hpp"
#include "verify/port/report.hpp"
#include "verify/report/report.hpp"

namespace attn::cli {

/// Returns true if the path is a folder to be searched for pages, not a port's dump: it holds no tensors, or holds
/// pages and tensors further below, and the command line does not ask for a chapter to compare tensors with. Throws
/// verify::PageError if it has very many files.
bool is_folder_of_pages(const std::string& path, const VerifyOptions& verify);

/// Runs `attn-walkthrough verify`: reads the pages and writes their reports. Returns the exit code: 0 if all numbers
/// are right, 1 if one is wrong. Throws verify::PageError before anything is written if a page cannot be read or has no
/// tensor.
int verify(const Options& options);

/// Returns true if `verify` gets files of tensors, not pages. Throws UsageError for a mixture, or for an option of the
/// other kind.
bool is_about_dumps(const Options& options);

/// `attn-walkthrough verify` of dumps: compares a port's tensors with a chapter's and reports where they differ and
/// why. Returns the exit code. Throws files::DumpError, and UsageError, before anything is written.
int verify_dumps(const Options& options);

/// Writes reports on pages or on dumps in the form that was asked for. Of several, the text names each. The
/// JSON is a list of reports on pages, also of one; of dumps, only of several.
template <class Reported>
void write_reports(std::ostream& out, const std::vector<Reported>& reports, const VerifyOptions& options) {
  const auto sheets = [&] {
    std::vector<verify::Sheet> result;
    std::ranges::transform(reports, std::back_inserter(result), [&](const Reported& one) {
      return sheet_of(one, {options.strict, options.allow_mistakes});
    });
    return result;
  };
  switch (options.format) {
    case ReportFormat::text:
      for (const Reported& one : reports) {
        out << (reports.size() > 1 ? text::one_line(sheet_of(one).name) + "\n" : "");
        write_text(out, one);
      }
      return;
    case ReportFormat::json: {
      render::JsonWriter json(out);
      const bool is_list = reports.size() > 1 || std::is_same_v<Reported, verify::ReportedPage>;
      if (is_list) {
        json.begin_array();
      }
      for (const Reported& one : reports) {
        write_json(json, one);
      }
      if (is_list) {
        json.end();
      }
      out << '\n';
      return;
    }
    case ReportFormat::html: return write_html(out, reports, ATTN_VERSION);
    case ReportFormat::github: return verify::write_github(out, sheets());
    case ReportFormat::junit: return verify::write_junit(out, sheets());
  }
}

}  // namespace attn::cli
