#include "verify/explain/other_seed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "verify/bound/observed.hpp"
#include "verify/explain/evidence.hpp"
#include "verify/propose/seeds.hpp"

namespace attn::verify {
namespace {

constexpr std::int64_t most_drawn = 4'096;  ///< per seed

bool is_seed(const DrawCall& call) { return call.kind == DrawCall::Kind::seed; }

/// The only seed among the calls; null unless there is exactly one.
const DrawCall* seed_of(std::span<const DrawCall> calls) {
  const auto first = std::ranges::find_if(calls, is_seed);
  const bool is_one = std::ranges::count_if(calls, is_seed) == 1;
  return is_one ? &*first : nullptr;
}

std::vector<DrawCall> with_seed(std::span<const DrawCall> calls, std::int64_t seed) {
  std::vector<DrawCall> result(calls.begin(), calls.end());
  for (DrawCall& call : result) {
    if (is_seed(call)) {
      call.seed = seed;
      call.call = call.call.substr(0, call.call.rfind('(')) + "(" + std::to_string(seed) + ")";
    }
  }
  return result;
}

bool is_printed(const Replayed& drawn, const Printed& printed) {
  constexpr double rounding = 1e-6;
  if (drawn.shape != printed.shape || drawn.values.size() != printed.cells.size()) {
    return false;
  }
  for (std::size_t i = 0; i < drawn.values.size(); ++i) {
    const Interval cell = interval_of(printed.cells[i]);
    if (drawn.values[i] < cell.low - rounding || drawn.values[i] > cell.high + rounding) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<DrawCall>> calls_with_other_seed(std::span<const DrawCall> calls, const Report& report) {
  const DrawCall* named = seed_of(calls);
  std::int64_t count = 0;
  for (const DrawCall& call : calls) {
    count += is_seed(call) ? 0 : element_count(call.shape);
  }
  if (named == nullptr || count > most_drawn) {
    return std::nullopt;
  }
  // 1. Collect what is unknown on the page, which must not have draws of the listing's own seed.
  std::vector<const Printed*> unknown;
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Verdict::unknown && finding.printed->kind == Printed::Kind::tensor &&
        is_excluded(chance_of_agreeing(*finding.printed), usual_seeds().size() * calls.size())) {
      unknown.push_back(finding.printed);
    }
  }
  const auto is_shown = [&](const Replayed& drawn) {
    return std::ranges::any_of(unknown, [&](const Printed* printed) { return is_printed(drawn, *printed); });
  };
  const std::vector<Replayed> own = unknown.empty() ? std::vector<Replayed>{} : replay(calls);
  const bool is_used = std::ranges::any_of(own, [&](const Replayed& drawn) {
    return std::ranges::any_of(report.findings,
                               [&](const Finding& finding) { return is_printed(drawn, *finding.printed); });
  });
  if (own.empty() || is_used) {
    return std::nullopt;
  }
  // 2. Find the first seed that draws some of it.
  for (const std::int64_t seed : usual_seeds()) {
    std::vector<DrawCall> others = with_seed(calls, seed);
    if (seed != named->seed && std::ranges::any_of(replay(others), is_shown)) {
      return others;
    }
  }
  return std::nullopt;
}

void tell_other_seed(std::span<const DrawCall> calls, std::span<const DrawCall> others, std::span<const Replayed> drawn,
                     Report& report) {
  const std::string named = seed_of(calls)->call;
  const std::string right = seed_of(others)->call;
  for (Finding& finding : report.findings) {
    if (finding.verdict == Verdict::follows &&
        std::ranges::find(drawn, finding.relation, &Replayed::sentence) != drawn.end()) {
      finding.verdict = Verdict::mistake;
      finding.mistaken = {"another-seed", "the listing says " + named + ", these are the numbers of " + right, right};
    }
  }
}

}  // namespace attn::verify
