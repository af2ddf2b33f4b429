#pragma once

#include <algorithm>
#include <iterator>
#include <ostream>
#include <type_traits>
#include <vector>

#include "cli/options.hpp"
#include "render/json.hpp"
#include "text/lines.hpp"
#include "verify/port/report.hpp"
#include "verify/report/report.hpp"

namespace attn::cli {

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
