#include "verify/explain/match.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "verify/explain/choose.hpp"
#include "verify/explain/derive.hpp"
#include "verify/explain/drawn_steps.hpp"
#include "verify/explain/find_mistakes.hpp"
#include "verify/explain/find_steps.hpp"
#include "verify/explain/kernel_words.hpp"
#include "verify/explain/other_kernels.hpp"
#include "verify/explain/plain.hpp"
#include "verify/explain/sizes.hpp"
#include "verify/explain/written_at.hpp"

namespace attn::verify {
namespace {

/// A page and its possible origins.
class Matcher {
 public:
  Matcher(std::span<const Printed> printed, std::span<const Explanation> explanations, const Given& given)
      : printed_(printed),
        explanations_(explanations),
        given_(given),
        written_(written_at(printed, given.written)),
        finder_(printed, explanations),
        drawn_steps_(printed, finder_) {}

  Report run() {
    const std::vector<Choice> evident = choose({});
    std::vector<Choice> chosen = choose(neighbours_of(evident));
    OtherKernels other_kernels(printed_, finder_.known());
    other_kernels.choose(finder_, chosen);
    Report report;
    report.findings = derive(printed_, written_, finder_, chosen, given_);
    other_kernels.agree(report, chosen);
    match_sizes(printed_, report.findings, chosen, finder_.known());
    list_lessons(report);
    find_mistakes(report, explanations_);
    return report;
  }

  /// The explanations of the nearest recognised things before and after.
  using Neighbours = std::array<const Explanation*, 2>;

 private:
  std::vector<Choice> choose(const std::vector<Neighbours>& neighbours) {
    return choose_in_order(
        printed_.size(), [&](std::size_t i) { return alternatives(i, neighbours); }, finder_.known());
  }

  /// The steps that a tensor may be. Scalars, masks and the like count only if a neighbour has the same explanation.
  Alternatives alternatives(std::size_t i, const std::vector<Neighbours>& neighbours) const {
    const Candidates& candidates = finder_[i];
    Alternatives result;
    std::ranges::copy_if(candidates.steps, std::back_inserter(result.steps), [&](std::size_t step) {
      const bool is_likely =
          candidates.is_evidence || !candidates.fits.empty() ||
          (!neighbours.empty() &&
           std::ranges::find(neighbours[i], finder_.known()[step].explanation) != neighbours[i].end());
      return is_likely && drawn_steps_.may_explain(printed_[i], step);
    });
    if (!result.steps.empty()) {
      const bool is_named = printed_[i].label.empty() && written_[i];
      result.label = plain_label(is_named ? std::string_view(given_.written[*written_[i]].text) : printed_[i].label);
      result.grad_fn = printed_[i].grad_fn;
      result.is_pytorch = printed_[i].text.find("tensor(") != std::string_view::npos;
    }
    return result;
  }

  std::vector<Neighbours> neighbours_of(const std::vector<Choice>& chosen) const {
    std::vector<Neighbours> neighbours(chosen.size());
    const auto note = [&](std::size_t i, std::size_t side, const Explanation*& last) {
      neighbours[i][side] = last;
      last = chosen[i] ? finder_.known()[*chosen[i]].explanation : last;
    };
    const Explanation* before = nullptr;
    const Explanation* after = nullptr;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      note(i, 0, before);
      note(chosen.size() - 1 - i, 1, after);
    }
    return neighbours;
  }

  /// Lists the findings' lessons, most frequent first.
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
  std::span<const Explanation> explanations_;
  const Given& given_;
  WrittenAt written_;
  StepFinder finder_;
  DrawnSteps drawn_steps_;
};

}  // namespace

Report match(std::span<const Printed> printed, std::span<const Explanation> explanations, const Given& given) {
  return printed.empty() ? Report{} : Matcher(printed, explanations, given).run();
}

}  // namespace attn::verify
