#include "verify/explain/finding.hpp"

#include <algorithm>

namespace attn::verify {

bool holds(Verdict verdict) { return verdict != Verdict::differs && verdict != Verdict::unknown; }

std::int64_t Report::count(Printed::Kind kind) const {
  return std::ranges::count_if(findings, [kind](const Finding& finding) { return finding.printed->kind == kind; });
}

std::int64_t Report::holding(Printed::Kind kind) const {
  return std::ranges::count_if(findings, [kind](const Finding& finding) {
    return finding.printed->kind == kind && verify::holds(finding.verdict);
  });
}

bool Report::holds() const {
  return std::ranges::all_of(findings, [](const Finding& finding) { return verify::holds(finding.verdict); });
}

}  // namespace attn::verify
