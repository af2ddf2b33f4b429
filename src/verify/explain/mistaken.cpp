#include "verify/explain/mistaken.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "verify/explain/compare.hpp"
#include "verify/explain/evidence.hpp"
#include "verify/explain/numbers.hpp"
#include "walk/mistakes.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_lessons = 3;
/// Of lessons and pages beyond these sizes the mistakes would take longer than all else.
constexpr std::int64_t most_numbers = 20'000;
constexpr std::size_t most_puzzles = 200;

/// A tensor that is no step as it should be.
struct Puzzle {
  Finding* finding;
  double chance;
};

std::vector<Puzzle> puzzles_in(Report& report) {
  std::vector<Puzzle> puzzles;
  for (Finding& finding : report.findings) {
    const bool is_open = finding.verdict == Verdict::unknown || finding.verdict == Verdict::follows ||
                         finding.verdict == Verdict::differs;
    if (!is_open || is_size(*finding.printed) || !is_regular(*finding.printed) || puzzles.size() == most_puzzles) {
      continue;
    }
    if (const double chance = chance_of_agreeing(*finding.printed); is_excluded(chance, 1)) {
      puzzles.push_back({&finding, chance});
    }
  }
  return puzzles;
}

/// The explanations that most tensors are steps of.
std::vector<const Explanation*> explanations_in(const Report& report) {
  std::vector<std::pair<std::int64_t, const Explanation*>> counted;
  for (const Finding& finding : report.findings) {
    if (!finding.explanation || !finding.step || !holds(finding.verdict) || is_size(*finding.printed)) {
      continue;
    }
    const auto same = std::ranges::find(counted, finding.explanation, &std::pair<std::int64_t, const Explanation*>::second);
    if (same == counted.end()) {
      counted.emplace_back(1, finding.explanation);
    } else {
      ++same->first;
    }
  }
  std::ranges::stable_sort(counted, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Explanation*> result;
  for (const auto& [count, explanation] : counted) {
    std::int64_t numbers = 0;
    for (const Step& step : explanation->steps.get()) {
      numbers += step.tensor ? element_count(step.tensor->shape()) : 0;
    }
    if (numbers <= most_numbers && result.size() < most_lessons) {
      result.push_back(explanation);
    }
  }
  return result;
}

class Search {
 public:
  explicit Search(std::vector<Puzzle> puzzles) : puzzles_(std::move(puzzles)) {}

  void look(const Explanation& explanation) {
    const std::vector<Step>& steps = explanation.steps.get();
    for (const Mistake& mistake : mistakes_in(steps)) {
      Rewriter rewriter(mistake.rule);
      bool is_first = true;  // what follows from it needs no note
      for (const Step& step : steps) {
        if (step.kind == Step::Kind::tensor && is_wanted(step.tensor->shape())) {
          const std::string note = "these are the numbers of " + step.name + " in " + explanation.chapter + " of " +
                                   explanation.article + " if " + mistake.sentence + "; there it is " + mistake.instead;
          is_first = !solve(step, rewriter, is_first ? note : "") && is_first;
        }
      }
    }
  }

 private:
  bool is_wanted(const Shape& shape) const {
    return std::ranges::any_of(puzzles_, [&](const Puzzle& one) { return same_shape(*one.finding->printed, shape); });
  }

  /// Whether there are tensors that the step is with the mistake; adds the note to them.
  bool solve(const Step& step, Rewriter& rewriter, const std::string& note) {
    std::optional<Numbers> numbers;
    try {
      const Tensor mistaken = rewriter(*step.tensor);
      if (mistaken.id() == step.tensor->id() || mistaken.shape() != step.tensor->shape()) {
        return false;
      }
      numbers = numbers_of(mistaken);
    } catch (const ShapeError&) {
      return false;  // the mistake cannot be made with these sizes
    }
    ++tried_;
    return std::erase_if(puzzles_, [&](const Puzzle& one) {
      const Printed& printed = *one.finding->printed;
      const bool is_same = same_shape(printed, numbers->shape) && same_kind(printed, *numbers) &&
                           compare(printed, *numbers, 0) == Tally{} && is_excluded(one.chance, tried_);
      if (is_same && !note.empty()) {
        one.finding->notes.push_back(note);
      }
      return is_same;
    }) > 0;
  }

  std::vector<Puzzle> puzzles_;
  std::size_t tried_ = 0;
};

}  // namespace

void note_mistakes(Report& report) {
  std::vector<Puzzle> puzzles = puzzles_in(report);
  if (puzzles.empty()) {
    return;
  }
  Search search(std::move(puzzles));
  for (const Explanation* explanation : explanations_in(report)) {
    search.look(*explanation);
  }
}

}  // namespace attn::verify
