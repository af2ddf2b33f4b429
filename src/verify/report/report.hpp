#pragma once

#include <iosfwd>
#include <string>

#include "verify/explain/finding.hpp"

namespace attn::verify {

/// A line for each printed tensor and size, what is wrong with it below, and a summary.
std::string report_text(const Report& report);

/// The same for programs, and the page's name. `line_break` stands before every line but the first.
void write_report_json(std::ostream& out, const std::string& file, const Report& report,
                       const std::string& line_break = "\n");

/// 0: nothing differs; 1: something does, or, where `strict`, is unknown.
inline int exit_code(const Report& report, bool strict = false) {
  return report.has(Verdict::differs) || (strict && report.has(Verdict::unknown)) ? 1 : 0;
}

}  // namespace attn::verify
