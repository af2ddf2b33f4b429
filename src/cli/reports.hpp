#pragma once

#include <algorithm>
#include <iterator>
#include <ostream>
#include <span>
#include <vector>

#include "cli/options.hpp"
#include "render/json.hpp"
#include "verify/report/checks.hpp"

namespace attn::cli {

/// Writes reports on pages or on dumps in the form that was asked for. Of several, the text names each, and the JSON is
/// an array.
template <class Reported>
void write_reports(std::ostream& out, const std::vector<Reported>& reports, const VerifyOptions& options) {
  const auto checks = [&] {
    std::vector<verify::CheckedFile> files;
    std::ranges::transform(reports, std::back_inserter(files), [&](const Reported& one) {
      return checked(one, {options.strict, options.allow_mistakes});
    });
    return files;
  };
  switch (options.format) {
    case ReportFormat::text:
      for (const Reported& one : reports) {
        out << (reports.size() > 1 ? name_of(one) + "\n" : "");
        write_text(out, one);
      }
      return;
    case ReportFormat::json: {
      render::JsonWriter json(out);
      if (reports.size() > 1) {
        json.begin_array();
      }
      for (const Reported& one : reports) {
        write_json(json, one);
      }
      if (reports.size() > 1) {
        json.end();
      }
      out << '\n';
      return;
    }
    case ReportFormat::html: return write_html(out, reports, ATTN_VERSION);
    case ReportFormat::github: return verify::write_github(out, checks());
    case ReportFormat::junit: return verify::write_junit(out, checks());
  }
}

}  // namespace attn::cli
