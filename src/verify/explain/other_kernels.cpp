#include "verify/explain/other_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "verify/explain/compare.hpp"
#include "verify/explain/kernel_words.hpp"

namespace attn::verify {
namespace {

/// Returns true if enough digits are printed for most numbers to reveal the kernels.
bool shows_many_digits(const Printed& printed) {
  constexpr double unit = 1e-6;
  return std::ranges::any_of(printed.cells, [](const Cell& cell) { return cell.unit > 0 && cell.unit <= unit; });
}

}  // namespace

Choice OtherKernels::same_step(std::size_t step, const Explanation& other, const Shape& shape) {
  const std::size_t place = known_[step].place;
  known_.add(other, [&](const Shape& wanted) { return wanted == shape; });
  const std::size_t there = known_.first_of(other) + place;
  return place < known_.count_of(other) && known_[there].numbers ? Choice(there) : std::nullopt;
}

/// The step of an explanation's other kernels that matches the tensor; of allowed kernels if possible.
Choice OtherKernels::held_step(const Printed& printed, const Explanation& explanation) {
  if (!explanation.other_kernels) {
    return std::nullopt;
  }
  std::vector<const Explanation*> others;
  for (const Explanation& other : explanation.other_kernels()) {
    others.push_back(&other);
  }
  std::stable_partition(others.begin(), others.end(), [](const Explanation* other) { return other->allowed; });
  for (const Explanation* const one : others) {
    const Explanation& other = *one;
    known_.add(other, [&](const Shape& shape) { return same_shape(printed, shape); });
    const std::size_t first = known_.first_of(other);
    for (std::size_t step = first; step < first + known_.count_of(other); ++step) {
      const auto& numbers = known_[step].numbers;
      if (numbers && same_kind(printed, known_.numbers(*numbers)) &&
          same_shape(printed, known_.numbers(*numbers).shape) &&
          compare(printed, known_.numbers(*numbers), 0) == Tally{}) {
        if (const Pair pair(&other, &explanation); std::ranges::find(found_, pair) == found_.end()) {
          found_.push_back(pair);
        }
        return step;
      }
    }
  }
  return std::nullopt;
}

void OtherKernels::choose(StepFinder& finder, std::vector<Choice>& chosen) {
  // Before the first known tensor, a page shows that tensor's lesson.
  const auto first = std::ranges::find_if(chosen, [](const Choice& choice) { return choice.has_value(); });
  const Explanation* last = first == chosen.end() ? nullptr : known_[**first].explanation;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Explanation* explanation = chosen[i] ? known_[*chosen[i]].explanation : last;
    last = explanation;
    if (is_size(printed_[i]) || finder[i].hold() || !explanation) {
      continue;
    }
    const bool only_last_digits = chosen[i] && finder[i].fits.at(*chosen[i]).tally.differs == 0;
    const bool is_tried = only_last_digits || shows_many_digits(printed_[i]);
    const Choice held = is_tried ? held_step(printed_[i], *explanation) : std::nullopt;
    if (held && known_[*held].explanation->allowed) {
      chosen[i] = held;
      finder[i].fits.clear();
      finder[i].steps = {*held};
    } else if (chosen[i] && finder[i].fits.at(*chosen[i]).change.kind == Change::Kind::none &&
               !finder.is_near(i, finder[i].fits.at(*chosen[i]).tally)) {
      chosen[i].reset();
    }
  }
}

/// Returns true if a finding's tensor also holds with the other kernels; true for findings of other lessons.
bool OtherKernels::agrees(const Finding& finding, const Explanation& kernels, const Explanation& usual) {
  const bool is_step = finding.step && (finding.verdict == Verdict::same || finding.verdict == Verdict::same_numbers);
  if (!is_step || finding.explanation == &kernels || finding.explanation->chapter != kernels.chapter ||
      !is_same_lesson(usual_of(*finding.explanation), usual)) {
    return true;
  }
  const auto place = static_cast<std::size_t>(finding.step - finding.explanation->steps.get().data());
  const std::size_t first = known_.first_of(*finding.explanation);
  const Choice there = same_step(first + place, kernels, finding.step->tensor->shape());
  return there && compare(*finding.printed, known_.numbers(*known_[*there].numbers), 0) == Tally{};
}

/// The kernels that the explanation's kernels replace; the explanation itself if it replaces none.
const Explanation& OtherKernels::usual_of(const Explanation& explanation) const {
  const auto pair = std::ranges::find(found_, &explanation, &Pair::first);
  return pair == found_.end() ? explanation : *pair->second;
}

/// Assigns everything that the page has of the lesson to these kernels.
void OtherKernels::take(Report& report, std::vector<Choice>& chosen, const Explanation& kernels,
                        const Explanation& usual) {
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    Finding& finding = report.findings[i];
    const bool is_same = finding.verdict == Verdict::same || finding.verdict == Verdict::same_numbers;
    if (is_same && finding.explanation && &usual_of(*finding.explanation) == &usual) {
      const auto place = static_cast<std::size_t>(finding.step - finding.explanation->steps.get().data());
      finding.explanation = &kernels;
      finding.step = &kernels.steps.get()[place];
      chosen[i] = known_.first_of(kernels) + place;
    }
  }
  const std::string words = whose_numbers(kernels, usual);
  if (std::ranges::find(report.notes, words) == report.notes.end()) {
    report.notes.push_back(words);
  }
  report.blas_shows = report.blas_shows || kernels.blas != usual.blas;
}

void OtherKernels::agree(Report& report, std::vector<Choice>& chosen) {
  const auto hold_all = [&](const Explanation& kernels, const Explanation& usual) {
    return kernels.allowed && std::ranges::all_of(report.findings, [&](const Finding& finding) {
             return agrees(finding, kernels, usual);
           });
  };
  std::set<const Explanation*> all;
  for (const auto& [kernels, usual] : found_) {
    if (hold_all(*kernels, *usual)) {
      take(report, chosen, *kernels, *usual);
      all.insert(kernels);
    }
  }
  for (const auto& [kernels, usual] : found_) {
    for (Finding& finding : report.findings) {
      const bool is_theirs = finding.explanation == kernels && !all.contains(kernels);
      const bool is_excluded =
          finding.explanation == usual && !kernels->allowed && finding.verdict == Verdict::last_digit;
      if (is_theirs || is_excluded) {
        finding.notes.push_back(whose_numbers(*kernels, *usual));
      }
    }
  }
  report.blas_shows = report.blas_shows || std::ranges::any_of(report.findings, [&](const Finding& finding) {
                        return is_by_blas_alone(finding);
                      });
}

/// Returns true if another OpenBLAS gives products with digits other than the page's.
bool OtherKernels::is_by_blas_alone(const Finding& finding) {
  const bool is_step = finding.step && (finding.verdict == Verdict::same || finding.verdict == Verdict::same_numbers);
  if (!is_step || is_size(*finding.printed) || !shows_many_digits(*finding.printed) ||
      !finding.explanation->other_kernels) {
    return false;
  }
  return std::ranges::any_of(finding.explanation->other_kernels(), [&](const Explanation& other) {
    return other.cpu == finding.explanation->cpu && !agrees(finding, other, *finding.explanation);
  });
}

}  // namespace attn::verify
