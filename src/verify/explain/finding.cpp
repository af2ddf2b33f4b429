#include "verify/explain/finding.hpp"

#include <algorithm>

#include "verify/read/budget.hpp"

namespace attn::verify {

namespace {

std::size_t memory_behind(const std::string& text) {
  constexpr std::size_t inside = 15;  // characters that need no block
  return text.capacity() > inside ? allocated(text.capacity() + 1) : 0;
}

template <class Value>
std::size_t memory_behind(const std::vector<Value>& values) {
  return allocated(values.capacity() * sizeof(Value));
}

}  // namespace

std::size_t memory_besides(const Finding& finding) {
  std::size_t bytes = memory_behind(finding.layout) + memory_behind(finding.relation) + memory_behind(finding.sources) +
                      memory_behind(finding.change.at) + memory_behind(finding.differences) +
                      memory_behind(finding.marks) + memory_behind(finding.notes);
  for (const Difference& difference : finding.differences) {
    bytes += memory_behind(difference.index) + memory_behind(difference.printed) + memory_behind(difference.expected);
  }
  for (const std::string& note : finding.notes) {
    bytes += memory_behind(note);
  }
  if (finding.mistaken) {
    bytes += memory_behind(finding.mistaken->name) + memory_behind(finding.mistaken->sentence) +
             memory_behind(finding.mistaken->instead);
  }
  return bytes;
}

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

bool Report::has(Verdict verdict) const {
  return std::ranges::any_of(findings, [verdict](const Finding& finding) { return finding.verdict == verdict; });
}

}  // namespace attn::verify
