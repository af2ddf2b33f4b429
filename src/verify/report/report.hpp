#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "verify/explain/finding.hpp"

namespace attn::verify {

/// A line for each printed tensor and size, what is wrong with it below, and a summary.
std::string report_text(const Report& report);

/// The same for programs.
nlohmann::ordered_json report_json(const Report& report);

/// 0: all hold, last digits allowed; 1: something differs or is unknown.
inline int exit_code(const Report& report) { return report.holds() ? 0 : 1; }

}  // namespace attn::verify
