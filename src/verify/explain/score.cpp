#include "verify/explain/score.hpp"

#include <optional>
#include <stdexcept>

namespace attn::verify {

Score score_of(const KnownSteps& known, std::span<const Printed> printed,
               std::span<const std::vector<Likeness>> likenesses) {
  Score result;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (is_size(printed[i])) {
      result.sizes += known.of_size(printed[i].shape).empty() ? 0 : 1;
      continue;
    }
    Tally best{static_cast<std::int64_t>(printed[i].cells.size()), 0};
    for (const Likeness& likeness : likenesses[i]) {
      if (known.has(likeness.numbers) && weight(likeness.tally) <= weight(best)) {
        best = likeness.tally;
      }
    }
    const bool held = holds(best, printed[i]) && !likenesses[i].empty();
    result.tensors += held ? 1 : 0;
    result.last_digits += best.last_digit;
    result.differing += best.differs;
  }
  return result;
}

std::size_t choose_explanation(std::span<const KnownSteps> known, std::span<const Printed> printed,
                               std::span<const std::vector<Likeness>> likenesses) {
  std::optional<std::size_t> best;
  Score best_score;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Explanation& explanation = known[i].explanation();
    if (!explanation.allowed) {
      continue;
    }
    const Score here = score_of(known[i], printed, likenesses);
    const bool wins_tie = best && here == best_score && explanation.preferred &&
                          !known[*best].explanation().preferred;
    if (!best || here.is_better_than(best_score) || wins_tie) {
      best = i;
      best_score = here;
    }
  }
  if (!best) {
    throw std::invalid_argument("no explanation is allowed; allow one");
  }
  return *best;
}

}  // namespace attn::verify
