#include <unordered_set>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "verify/explain/finding.hpp"

#include "verify/causes/mistakes.hpp"

namespace attn::verify {
namespace {

/// For lessons and pages beyond these sizes, trying the mistakes would take longer than everything else.
constexpr std::int64_t most_in_lesson = 20'000;
constexpr std::size_t most_puzzles = 200;
constexpr std::size_t most_lessons = 3;
constexpr std::size_t most_on_short_page = 12;

/// Choices of correct programs: a step with one is mistaken only if the page's known chapter does otherwise.
constexpr auto usual_choices = std::to_array<std::string_view>({"no-mask", "no-dropout", "no-projection", "no-bias"});

bool is_usual_choice(const Mistake& mistake) {
  return std::ranges::any_of(usual_choices,
                             [&](std::string_view one) { return mistake.name.find(one) != std::string::npos; });
}

/// Words of a label that say that the program deviates on purpose: "unscaled weights".
constexpr std::string_view on_purpose =
    "unscaled|unmasked|without|wrong|mistake|naive|instead|columns|no mask|no scal|backward|sharpen|reverse";

/// A tensor that does not match any step as it should be.
struct Puzzle {
  Finding* finding;
  double chance;
  Observed shown;
};

std::vector<Puzzle> puzzles_in(Report& report) {
  std::vector<Puzzle> puzzles;
  for (Finding& finding : report.findings) {
    const bool is_open = finding.verdict == Verdict::unknown || finding.verdict == Verdict::differs ||
                         (finding.verdict == Verdict::follows && finding.by != By::program);
    auto shown = is_open && puzzles.size() < most_puzzles ? shown_of(*finding.printed) : std::nullopt;
    const double chance = shown ? chance_of(*shown) : 0;
    if (is_excluded(chance, 1)) {
      std::vector<double> values(shown->values.begin(), shown->values.end());  // -1e9 hides scores as -inf does
      std::ranges::replace_if(
          values, [](double value) { return value <= -1e4 && value == std::round(value); }, -HUGE_VAL);
      shown->values = std::move(values);
      puzzles.push_back({&finding, chance, *std::move(shown)});
    }
  }
  return puzzles;
}

bool is_one_chapter(std::span<const Explanation> explanations) {
  return std::ranges::all_of(explanations,
                             [&](const Explanation& one) { return one.chapter == explanations.front().chapter; });
}

bool is_small(const Explanation& explanation) {
  std::int64_t numbers = 0;
  for (const Step& step : explanation.steps) {
    numbers += step.tensor ? element_count(step.tensor->shape()) : 0;
  }
  return numbers <= most_in_lesson;
}

/// The explanations with the most tensors; also the plain ones if the chapter is known, or instead if a short page has
/// no step of any.
std::vector<const Explanation*> explanations_to_try(const Report& report, std::span<const Explanation> explanations) {
  std::map<const Explanation*, std::int64_t> counts;
  for (const Finding& finding : report.findings) {
    if (finding.by == By::lesson && !is_size(*finding.printed)) {
      ++counts[finding.explanation];
    }
  }
  const bool is_short = counts.empty() && report.findings.size() <= most_on_short_page;
  const bool are_plain_tried = is_short || is_one_chapter(explanations);
  std::vector<const Explanation*> result;
  for (const Explanation& one : explanations) {
    const bool is_tried = counts.contains(&one) || (one.is_plain && are_plain_tried);
    is_tried&& is_small(one) ? result.push_back(&one) : void();
  }
  std::ranges::stable_sort(result, std::greater<>(), [&](const Explanation* one) { return counts[one]; });
  result.resize(is_short ? result.size() : std::min(result.size(), most_lessons));
  return result;
}

Agreement compared(const Observed& shown, const Tensor& tensor, const AgreeOptions& options = {}) {
  Bounds bounds;
  return agree(shown, tensor, bounds, options);
}

/// A puzzle that a step with a mistake solves.
struct Solved {
  Finding* finding;
  const Step* step;
};

/// A step's tensor with a mistake; empty where it cannot be made with these sizes.
std::optional<Tensor> rewritten(const Tensor& tensor, Rewriter& rewriter) try {
  return rewriter(tensor);
} catch (const ShapeError&) {
  return std::nullopt;
}

class Search {
 public:
  Search(Report& report, std::vector<Puzzle> puzzles, bool is_chapter_known)
      : report_(report), puzzles_(std::move(puzzles)), is_chapter_known_(is_chapter_known) {}

  /// Tries each mistake of a table in a lesson.
  void look(const Explanation& explanation, std::span<const Mistake> table) {
    is_own_.clear();
    for (const Step& step : explanation.steps) {
      is_own_.insert(step.tensor ? step.tensor->id() : nullptr);
    }
    for (const Mistake& mistake : table) {
      Rewriter rewriter(mistake.rule);
      std::vector<Solved> solved;
      for (const Step& step : explanation.steps) {
        is_wanted(step) ? solve(step, rewriter, solved) : void();
      }
      if (!solved.empty() && is_told(mistake, explanation, solved) && !shows_both(solved.front())) {
        tell(mistake, explanation, solved);
      }
    }
  }

 private:
  bool is_wanted(const Step& step) const {
    return step.kind == Step::Kind::tensor && step.tensor &&
           std::ranges::any_of(puzzles_, [&](const Puzzle& one) { return may_show(one.shown, step.tensor->shape()); });
  }

  /// Finds the tensors that match the step with the mistake, and not only up to last digits without it.
  void solve(const Step& step, Rewriter& rewriter, std::vector<Solved>& solved) {
    const Tensor& right = *step.tensor;
    const std::optional<Tensor> mistaken = rewritten(right, rewriter);
    if (!mistaken || is_own_.contains(mistaken->id()) || mistaken->shape() != right.shape()) {
      return;  // a step that became equal to another one is a missing line
    }
    ++tried_;
    for (const Puzzle& one : puzzles_) {
      const bool is_solved = std::ranges::find(solved, one.finding, &Solved::finding) != solved.end();
      if (!is_solved && is_excluded(one.chance, tried_) &&
          compared(one.shown, *mistaken, {.most_differing = 0}).holds() && compared(one.shown, right).differing() > 0) {
        solved.push_back({one.finding, &step});
      }
    }
  }

  /// Returns true if a choice that correct programs make is a mistake here: if the chapter is known, if a draw of the
  /// article's own lesson follows once it is made, or if the labels say so.
  bool is_told(const Mistake& mistake, const Explanation& explanation, std::span<const Solved> solved) const {
    const auto says_so = [](const Solved& one) {
      return text::contains_any(plain_label(one.finding->printed->label), on_purpose);
    };
    if (is_chapter_known_) {
      return true;
    }
    if (mistake.name.find("query-key-swapped") != std::string::npos || std::ranges::any_of(solved, says_so)) {
      return false;
    }
    if (mistake.name.find("same-weights") != std::string::npos) {
      const auto is_of_keys = [](const Finding& one) { return projection_of(one.printed->label) == 'k'; };
      return std::ranges::any_of(report_.findings, is_of_keys) &&
             std::ranges::any_of(solved, [](const Solved& one) { return projection_of(one.step->name) == 0; });
    }
    const auto drops = [](const Solved& one) {
      return one.step->tensor->kind() == Kind::dropout && one.step->tensor->operation().facts().p > 0;
    };
    return !is_usual_choice(mistake) ||
           (explanation.is_plain && explanation.settings.empty() && std::ranges::any_of(solved, drops));
  }

  /// Returns true if the page also prints the right step, under another label.
  bool shows_both(const Solved& one) const {
    const std::string label = plain_label(one.finding->printed->label);
    return std::ranges::any_of(report_.findings, [&](const Finding& other) {
      const bool is_other = label.empty() || plain_label(other.printed->label) != label;
      const auto shown = is_other ? shown_of(*other.printed) : std::nullopt;
      return shown && compared(*shown, *one.step->tensor, {.most_differing = 0}).holds();
    });
  }

  void tell(const Mistake& mistake, const Explanation& explanation, std::span<const Solved> solved) {
    for (const auto& [was, step] : solved) {
      const bool is_first = step == solved.front().step;
      if (is_first || was->verdict != Verdict::follows || was->sources.empty()) {
        Finding finding = finding_of(*was->printed, &explanation, step);
        set_mistake(finding, {mistake.name, mistake.sentence, mistake.instead}, is_first);
        finding.relation = was->relation;
        finding.sources = was->sources;
        set_wrong(finding, compared(*shown_of(*was->printed), *step->tensor).wrong);
        *was = std::move(finding);
      }
    }
    hand_down();
    std::erase_if(puzzles_, [](const Puzzle& one) { return one.finding->mistaken.has_value(); });
  }

  /// Tensors that follow from a mistaken one inherit its mistake.
  void hand_down() {
    for (Finding& finding : report_.findings) {
      const auto source = std::ranges::find_if(finding.sources,
                                               [&](std::size_t i) { return report_.findings[i].mistaken.has_value(); });
      if (finding.verdict == Verdict::follows && !is_size(*finding.printed) && source != finding.sources.end()) {
        set_mistake(finding, *report_.findings[*source].mistaken, false);
      }
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
  if (puzzles.empty() || explanations.empty()) {
    return;
  }
  Search search(report, std::move(puzzles), is_one_chapter(explanations));
  for (const Explanation* explanation : explanations_to_try(report, explanations)) {
    search.look(*explanation, mistakes_on_pages(explanation->steps));
  }
}

}  // namespace attn::verify
