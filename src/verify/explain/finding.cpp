#include "verify/explain/finding.hpp"

#include <algorithm>

namespace attn::verify {

bool holds(Verdict verdict) { return verdict != Verdict::differs && verdict != Verdict::unknown; }

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

bool Report::has(Verdict verdict) const {
  return std::ranges::any_of(findings, [verdict](const Finding& finding) { return finding.verdict == verdict; });
}

}  // namespace attn::verify
