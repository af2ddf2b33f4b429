#include "verify/explain/match.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "verify/explain/choose.hpp"
#include "verify/explain/derive.hpp"
#include "verify/explain/find_steps.hpp"
#include "verify/explain/kernel_words.hpp"
#include "verify/explain/other_kernels.hpp"
#include "verify/explain/plain.hpp"
#include "verify/explain/sizes.hpp"

namespace attn::verify {
namespace {

/// One page and the ways in which it may have been made.
class Matcher {
 public:
  Matcher(std::span<const Printed> printed, std::span<const Explanation> explanations)
      : printed_(printed), finder_(printed, explanations) {}

  Report run(const Given& given) {
    const std::vector<Choice> evident = choose_in_order(alternatives({}), finder_.known());
    std::vector<Choice> chosen = choose_in_order(alternatives(neighbours_of(evident)), finder_.known());
    OtherKernels other_kernels(printed_, finder_.known());
    other_kernels.choose(finder_, chosen);
    Report report;
    report.findings = derive(printed_, finder_, chosen, given);
    other_kernels.agree(report, chosen);
    match_sizes(printed_, report.findings, chosen, finder_.known());
    list_lessons(report);
    return report;
  }

 private:
  using Explanations = std::vector<const Explanation*>;

  /// The steps that each tensor may be. Those of scalars, masks and the like count only where a neighbour is of the
  /// same explanation.
  std::vector<Alternatives> alternatives(const std::vector<Explanations>& neighbours) const {
    std::vector<Alternatives> page(printed_.size());
    for (std::size_t i = 0; i < printed_.size(); ++i) {
      const Candidates& candidates = finder_[i];
      page[i] = {plain_label(printed_[i].label), printed_[i].grad_fn, {}};
      std::ranges::copy_if(candidates.steps, std::back_inserter(page[i].steps), [&](std::size_t step) {
        return candidates.is_evidence || !candidates.fits.empty() ||
               (!neighbours.empty() &&
                std::ranges::find(neighbours[i], finder_.known()[step].explanation) != neighbours[i].end());
      });
    }
    return page;
  }

  /// For each printed thing, the explanations of the recognised ones before and after it.
  std::vector<Explanations> neighbours_of(const std::vector<Choice>& chosen) const {
    std::vector<Explanations> neighbours(chosen.size());
    const auto note = [&](std::size_t i, const Explanation*& last) {
      if (last) {
        neighbours[i].push_back(last);
      }
      last = chosen[i] ? finder_.known()[*chosen[i]].explanation : last;
    };
    const Explanation* before = nullptr;
    const Explanation* after = nullptr;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      note(i, before);
      note(chosen.size() - 1 - i, after);
    }
    return neighbours;
  }

  /// The lessons of the findings, the most frequent first.
  static void list_lessons(Report& report) {
    std::vector<std::pair<std::int64_t, const Explanation*>> lessons;
    for (const Finding& finding : report.findings) {
      if (!finding.explanation || finding.verdict == Verdict::unknown) {
        continue;
      }
      const auto same = std::ranges::find_if(
          lessons, [&](const auto& lesson) { return is_same_lesson(*lesson.second, *finding.explanation); });
      if (same == lessons.end()) {
        lessons.emplace_back(1, finding.explanation);
      } else {
        ++same->first;
      }
    }
    std::ranges::stable_sort(lessons, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [count, explanation] : lessons) {
      report.lessons.push_back(explanation);
      if (explanation->dropout_kernel != "default") {
        Explanation usual = *explanation;
        usual.dropout_kernel = "default";
        report.notes.push_back(whose_numbers(*explanation, usual));
      }
    }
  }

  std::span<const Printed> printed_;
  StepFinder finder_;
};

}  // namespace

Report match(std::span<const Printed> printed, std::span<const Explanation> explanations, const Given& given) {
  return printed.empty() ? Report{} : Matcher(printed, explanations).run(given);
}

}  // namespace attn::verify
