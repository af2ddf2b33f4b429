#include "verify/explain/find_mistakes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "verify/explain/attention_programs.hpp"
#include "verify/explain/called.hpp"
#include "verify/explain/compare.hpp"
#include "verify/explain/describe.hpp"
#include "verify/explain/evidence.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/explain/plain.hpp"
#include "walk/mistakes.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_lessons = 3;
/// For lessons and pages beyond these sizes, trying the mistakes would take longer than everything else.
constexpr std::int64_t most_in_lesson = 20'000;
constexpr std::size_t most_puzzles = 200;
constexpr std::ptrdiff_t most_in_pairs = 16;  ///< mistakes
constexpr std::size_t most_on_short_page = 12;

/// Choices of correct programs: a step with one is mistaken only if the page's known chapter does otherwise.
constexpr std::array<std::string_view, 4> usual_choices = {"no-mask", "no-dropout", "no-projection", "no-bias"};

/// A tensor that does not match any step as it should be.
struct Puzzle {
  Finding* finding;
  double chance;
  std::string label;  ///< the label of the step that the page names, if the numbers are another step's; else empty
  std::optional<Printed> hidden = {};  ///< with -inf in place of the -1e9 that hides scores
};

/// Replaces large negative whole numbers with -inf; empty if there are none.
std::optional<Printed> with_infinity(const Printed& printed) {
  constexpr double hides = -1e4;
  std::optional<Printed> result;
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    const double value = printed.cells[i].value;
    if (value <= hides && std::isfinite(value) && value == std::round(value)) {
      result = result ? std::move(result) : std::optional(printed);
      result->cells[i].value = -HUGE_VAL;
      result->cells[i].unit = 0;
    }
  }
  return result;
}

bool is_labelled(const Step& step, const std::string& label) {
  return label == step.name || label == plain_label(step.label);
}

/// The label of a tensor with a step's numbers under another step's label; else empty.
std::string other_label(const Finding& finding) {
  const std::string label = plain_label(finding.printed->label);
  if (!holds(finding.verdict) || !finding.step || label.empty() || is_labelled(*finding.step, label)) {
    return "";
  }
  const std::vector<Step>& steps = finding.explanation->steps.get();
  return std::ranges::any_of(steps, [&](const Step& step) { return step.tensor && is_labelled(step, label); }) ? label
                                                                                                               : "";
}

std::vector<Puzzle> puzzles_in(Report& report) {
  std::vector<Puzzle> puzzles;
  for (Finding& finding : report.findings) {
    const bool is_open = finding.verdict == Verdict::unknown || finding.verdict == Verdict::follows ||
                         finding.verdict == Verdict::differs;
    std::string label = is_open ? "" : other_label(finding);
    if ((!is_open && label.empty()) || is_size(*finding.printed) || !is_regular(*finding.printed) ||
        puzzles.size() == most_puzzles) {
      continue;
    }
    if (const double chance = chance_of_agreeing(*finding.printed); is_excluded(chance, 1)) {
      puzzles.push_back({&finding, chance, std::move(label), with_infinity(*finding.printed)});
    }
  }
  return puzzles;
}

bool is_one_chapter(std::span<const Explanation> explanations) {
  return std::ranges::all_of(explanations,
                             [&](const Explanation& one) { return one.chapter == explanations.front().chapter; });
}

/// The explanations with the most tensors; also the plain ones if the chapter is known, or instead if a short page has
/// no step of any.
std::vector<const Explanation*> explanations_to_try(const Report& report, std::span<const Explanation> explanations) {
  std::vector<std::pair<std::int64_t, const Explanation*>> counted;
  for (const Finding& finding : report.findings) {
    if (!finding.explanation || !finding.step || !holds(finding.verdict) || is_size(*finding.printed)) {
      continue;
    }
    const auto same =
        std::ranges::find(counted, finding.explanation, &std::pair<std::int64_t, const Explanation*>::second);
    if (same == counted.end()) {
      counted.emplace_back(1, finding.explanation);
    } else {
      ++same->first;
    }
  }
  std::ranges::stable_sort(counted, [](const auto& a, const auto& b) { return a.first > b.first; });
  const bool is_short = counted.empty() && report.findings.size() <= most_on_short_page;
  for (const Explanation& explanation : explanations) {
    const bool is_new =
        std::ranges::find(counted, &explanation, &std::pair<std::int64_t, const Explanation*>::second) == counted.end();
    if (is_new && explanation.wave == 0 && explanation.allowed && (is_short || is_one_chapter(explanations))) {
      counted.emplace_back(0, &explanation);
    }
  }
  const std::size_t most = is_short ? counted.size() : most_lessons;
  std::vector<const Explanation*> result;
  for (const auto& [count, explanation] : counted) {
    std::int64_t numbers = 0;
    for (const Step& step : explanation->steps.get()) {
      numbers += step.tensor ? element_count(step.tensor->shape()) : 0;
    }
    if (numbers <= most_in_lesson && result.size() < most) {
      result.push_back(explanation);
    }
  }
  return result;
}

/// A puzzle that a step with a mistake solves.
struct Solved {
  Finding* finding;
  const Step* step;
  Tensor right;  ///< the step without the mistake
};

/// Applies a rule to the steps; steps to which it cannot be applied are left out.
std::vector<Step> rewritten(std::span<const Step> steps, const Rewriter::Rule& rule) {
  Rewriter rewriter(rule);
  std::vector<Step> result;
  for (const Step& step : steps) {
    result.push_back(step);
    try {
      if (step.tensor) {
        result.back().tensor = rewriter(*step.tensor);
      }
    } catch (const ShapeError&) {
      result.back().tensor.reset();
    }
  }
  return result;
}

bool is_mistaken(const Finding& finding) {
  return finding.verdict == Verdict::mistake || finding.verdict == Verdict::inherited;
}

/// Tensors that follow from a mistaken one inherit its mistake.
void hand_down(Report& report) {
  for (Finding& finding : report.findings) {
    if (finding.verdict != Verdict::follows || is_size(*finding.printed)) {
      continue;
    }
    const auto is_wrong = [&](std::size_t i) { return is_mistaken(report.findings[i]); };
    if (const auto source = std::ranges::find_if(finding.sources, is_wrong); source != finding.sources.end()) {
      finding.verdict = Verdict::inherited;
      finding.is_rooted = finding.is_in_part = false;
      finding.mistaken = report.findings[*source].mistaken;
    }
  }
}

class Search {
 public:
  Search(Report& report, std::vector<Puzzle> puzzles, bool is_chapter_known)
      : report_(report), puzzles_(std::move(puzzles)), is_chapter_known_(is_chapter_known) {}

  /// Tries each mistake in the lesson as it is, and in variants that deliberately omit the mask or dropout.
  void look(const Explanation& explanation) {
    const std::vector<Step>& steps = explanation.steps.get();
    look(explanation, steps, mistakes_on_pages(steps));
    for (const std::string_view choice : usual_choices) {
      if (!is_chapter_known_ && std::ranges::any_of(steps, [&](const Step& step) { return is_wanted(step); })) {
        const std::vector<Step> chosen = rewritten(steps, mistake_of(choice, steps).rule);
        drop_right(chosen);
        if (choice != "no-projection") {  // nobody scales scores of the inputs themselves
          look(explanation, chosen, mistakes_on_pages(chosen));
        }
      }
    }
  }

  /// Tries pairs of the most common mistakes if the page shows steps of the lesson.
  void look_for_pairs(const Explanation& explanation) {
    const std::vector<Step>& steps = explanation.steps.get();
    std::vector<Mistake> table = mistakes_in(steps);
    std::erase_if(table, [&](const Mistake& mistake) {
      const bool is_choice = std::ranges::find(usual_choices, mistake.name) != usual_choices.end();
      return (is_choice && !is_chapter_known_) || !changes_wanted(mistake, steps);
    });
    table.erase(table.begin() + std::min(std::ssize(table), most_in_pairs), table.end());
    for (const Mistake& mistake : table) {
      drop_right(rewritten(steps, mistake.rule));  // puzzles that a single mistake solves need no pair
    }
    look(explanation, steps, pairs_of(table));
  }

  bool is_done() const { return puzzles_.empty(); }

 private:
  void look(const Explanation& explanation, const std::vector<Step>& right, std::span<const Mistake> table) {
    is_own_.clear();
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < right.size(); ++i) {
      is_own_.insert(right[i].tensor ? right[i].tensor->id() : nullptr);
      if (is_wanted(right[i])) {
        wanted.push_back(i);
      }
    }
    if (wanted.empty()) {
      return;
    }
    for (const Mistake& mistake : table) {
      Rewriter rewriter(mistake.rule);
      std::vector<Solved> solved;
      for (const std::size_t i : wanted) {
        solve(explanation.steps.get()[i], *right[i].tensor, rewriter, solved);
      }
      if (!solved.empty() && is_told(mistake, explanation, solved) && !shows_both(solved.front())) {
        tell(mistake, explanation, solved);
        hand_down(report_);
        std::erase_if(puzzles_, [](const Puzzle& one) { return is_mistaken(*one.finding); });
        std::erase_if(wanted, [&](std::size_t i) { return !is_wanted(right[i]); });
      }
    }
  }

  /// Returns true if the mistake changes a step that the page may show.
  bool changes_wanted(const Mistake& mistake, std::span<const Step> steps) const {
    Rewriter rewriter(mistake.rule);
    return std::ranges::any_of(steps, [&](const Step& step) {
      try {
        return is_wanted(step) && rewriter(*step.tensor).id() != step.tensor->id();
      } catch (const ShapeError&) {
        return false;
      }
    });
  }

  /// Removes the puzzles that these steps solve: the result of a deliberate choice is not another mistake.
  void drop_right(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (is_wanted(step)) {
        std::erase_if(puzzles_, [&, numbers = numbers_of(*step.tensor)](const Puzzle& one) {
          return agrees(one, step, numbers);
        });
      }
    }
  }

  bool is_wanted(const Step& step) const {
    return step.kind == Step::Kind::tensor && step.tensor && std::ranges::any_of(puzzles_, [&](const Puzzle& one) {
             return same_shape(*one.finding->printed, step.tensor->shape());
           });
  }

  /// Finds the tensors that match the step with the mistake.
  void solve(const Step& step, const Tensor& right, Rewriter& rewriter, std::vector<Solved>& solved) {
    std::optional<Numbers> numbers;
    try {
      const Tensor mistaken = rewriter(right);
      if (is_own_.contains(mistaken.id()) || mistaken.shape() != right.shape()) {
        return;  // a step that became equal to another one is a missing line
      }
      numbers = numbers_of(mistaken);
    } catch (const ShapeError&) {
      return;  // the mistake cannot be made with these sizes
    }
    ++tried_;
    for (const Puzzle& one : puzzles_) {
      const bool is_mistaken = agrees(one, step, *numbers) && is_excluded(one.chance, tried_);
      const bool is_solved = std::ranges::find(solved, one.finding, &Solved::finding) != solved.end();
      if (is_mistaken && !is_solved && differs(one, numbers_of(right))) {
        solved.push_back({one.finding, &step, right});
      }
    }
  }

  static bool agrees(const Puzzle& one, const Step& step, const Numbers& numbers) {
    return (one.label.empty() || is_labelled(step, one.label)) &&
           (agrees(*one.finding->printed, numbers) || (one.hidden && agrees(*one.hidden, numbers)));
  }

  /// Returns true if they differ by more than last digits, which rounding may change.
  static bool differs(const Puzzle& one, const Numbers& numbers) {
    const Printed& printed = one.hidden ? *one.hidden : *one.finding->printed;
    return compare(printed, numbers, std::ssize(printed.cells)).differs > 0;
  }

  static bool agrees(const Printed& printed, const Numbers& numbers) {
    return !is_size(printed) && same_shape(printed, numbers.shape) && same_kind(printed, numbers) &&
           compare(printed, numbers, 0) == Tally{};
  }

  /// Returns true if a choice that correct programs make is a mistake here: if the chapter is known; if a draw of the
  /// article's own lesson follows once it is made; or if the labels say so, whichever weights the program draws first.
  bool is_told(const Mistake& mistake, const Explanation& explanation, std::span<const Solved> solved) const {
    if (is_chapter_known_) {
      return true;
    }
    const auto is_of = [&](std::string_view name) { return mistake.name.find(name) != std::string::npos; };
    if (std::ranges::any_of(solved, [](const Solved& one) { return says_so(one.finding->printed->label); })) {
      return false;
    }
    if (is_of("query-key-swapped")) {
      return std::ranges::any_of(solved, [&](const Solved& one) { return is_labelled_swapped(*one.finding); });
    }
    if (is_of("same-weights")) {
      return std::ranges::any_of(report_.findings, is_labelled_keys) && std::ranges::any_of(solved, is_made_of_both);
    }
    const bool is_choice = std::ranges::find(usual_choices, mistake.name) != usual_choices.end();
    const bool is_articles_own = explanation.wave == 0 && explanation.settings.empty();
    return !is_choice ||
           (is_articles_own && std::ranges::any_of(solved, [](const Solved& one) {
              return one.step->tensor->kind() == Kind::dropout && one.step->tensor->operation().facts().p > 0;
            }));
  }

  /// Returns true if a label says that the program deviates on purpose: "unscaled weights".
  static bool says_so(std::string_view label) {
    constexpr auto words =
        std::to_array<std::string_view>({"unscaled", "unmasked", "without", "wrong", "mistake", "naive", "instead",
                                         "columns", "no mask", "no scal", "backward", "sharpen", "reverse"});
    const std::string plain = plain_label(label);
    return std::ranges::any_of(words, [&](std::string_view word) { return plain.find(word) != std::string::npos; });
  }

  static bool is_labelled_keys(const Finding& finding) { return projection_of(finding.printed->label) == 'k'; }

  /// Returns true if a step is computed from queries, keys or values but is none of them.
  static bool is_made_of_both(const Solved& one) { return projection_of(one.step->name) == 0; }

  /// Returns true if the page labels the first factor as keys and the second as queries.
  bool is_labelled_swapped(const Finding& finding) const {
    const auto source = [&](std::size_t i) {
      return projection_of(report_.findings[finding.sources[i]].printed->label);
    };
    return finding.sources.size() == 2 && source(0) == 'k' && source(1) == 'q';
  }

  /// Returns true if the page also prints the right step, under another label.
  bool shows_both(const Solved& one) const {
    const std::string label = plain_label(one.finding->printed->label);
    const Numbers right = numbers_of(one.right);
    return std::ranges::any_of(report_.findings, [&](const Finding& other) {
      return (label.empty() || plain_label(other.printed->label) != label) && agrees(*other.printed, right);
    });
  }

  void tell(const Mistake& mistake, const Explanation& explanation, std::span<const Solved> solved) {
    const Step* const first = solved.front().step;
    for (const Solved& one : solved) {
      Finding& finding = *one.finding;
      const bool is_first = one.step == first;
      if (is_first || finding.verdict != Verdict::follows || finding.sources.empty()) {
        finding = describe_mistake(finding, *one.step, one.right, explanation,
                                   {mistake.name, mistake.sentence, mistake.instead}, is_first);
      }
      std::erase_if(puzzles_, [&](const Puzzle& puzzle) { return puzzle.finding == &finding; });
    }
  }

  Report& report_;
  std::vector<Puzzle> puzzles_;
  bool is_chapter_known_;
  std::unordered_set<const void*> is_own_;  ///< the right steps' tensors
  std::size_t tried_ = 0;
};

}  // namespace

void find_mistakes(Report& report, std::span<const Explanation> explanations) {
  std::vector<Puzzle> puzzles = puzzles_in(report);
  if (puzzles.empty()) {
    return;
  }
  Search search(report, std::move(puzzles), is_one_chapter(explanations));
  std::vector<const Explanation*> shown;  // explanations with steps on the page
  for (const Explanation* explanation : explanations_to_try(report, explanations)) {
    if (search.is_done()) {
      return;
    }
    search.look(*explanation);
    const bool is_shown = std::ranges::any_of(
        report.findings, [&](const Finding& finding) { return finding.explanation == explanation && finding.step; });
    is_shown ? shown.push_back(explanation) : void();
    for (Explanation& program : attention_programs(*explanation)) {
      const auto& kept = report.programs.emplace_back(std::make_shared<const Explanation>(std::move(program)));
      search.look(*kept);
      is_shown ? shown.push_back(kept.get()) : void();
    }
  }
  for (const Explanation* explanation : shown) {
    search.look_for_pairs(*explanation);
  }
}

}  // namespace attn::verify
