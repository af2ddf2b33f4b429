#include "verify/explain/finding.hpp"

#include <algorithm>

namespace attn::verify {

bool holds(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
    case Verdict::same_numbers:
    case Verdict::last_digit:
    case Verdict::follows: return true;
    case Verdict::mistake:
    case Verdict::inherited:
    case Verdict::differs:
    case Verdict::unknown: break;
  }
  return false;
}

std::int64_t Report::count(Printed::Kind kind) const {
  return std::ranges::count_if(findings, [kind](const Finding& finding) { return finding.printed->kind == kind; });
}

std::int64_t Report::count(Printed::Kind kind, Verdict verdict) const {
  return std::ranges::count_if(
      findings, [&](const Finding& finding) { return finding.printed->kind == kind && finding.verdict == verdict; });
}

std::int64_t Report::holding(Printed::Kind kind) const {
  return std::ranges::count_if(findings, [kind](const Finding& finding) {
    return finding.printed->kind == kind && verify::holds(finding.verdict);
  });
}

std::int64_t Report::in_part() const { return std::ranges::count_if(findings, &Finding::is_in_part); }

}  // namespace attn::verify
