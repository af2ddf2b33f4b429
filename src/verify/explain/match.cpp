#include "verify/explain/match.hpp"

#include <cstddef>
#include <vector>

#include "verify/explain/describe.hpp"
#include "verify/explain/find_candidates.hpp"
#include "verify/explain/kernel_words.hpp"
#include "verify/explain/known_steps.hpp"
#include "verify/explain/notes.hpp"
#include "verify/explain/page_order.hpp"
#include "verify/explain/plain.hpp"
#include "verify/explain/score.hpp"
#include "verify/explain/sizes.hpp"
#include "verify/explain/trust_labels.hpp"

namespace attn::verify {
namespace {

bool differs_in_blas_alone(const Explanation& a, const Explanation& b) {
  return a.blas != b.blas && a.article == b.article && a.cpu == b.cpu && a.dropout_kernel == b.dropout_kernel;
}

/// One page and the ways in which it may have been made.
class Matcher {
 public:
  Matcher(std::span<const Printed> printed, std::span<const Explanation> explanations) : printed_(printed) {
    for (const Explanation& explanation : explanations) {
      known_.emplace_back(explanation, pool_);
    }
    for (const Printed& one : printed) {
      likenesses_.push_back(is_size(one) ? std::vector<Likeness>{} : find_likenesses(one, pool_));
    }
  }

  Report run() {
    KnownSteps& best = known_[choose_explanation(known_, printed_, likenesses_)];
    std::vector<Candidates> found = find_candidates(best);
    std::vector<Choice> chosen = choose_steps(found, best);
    Report report;
    report.explanation = &best.explanation();
    for (std::size_t i = 0; i < printed_.size(); ++i) {
      Finding& finding = report.findings.emplace_back();
      finding.printed = &printed_[i];
      if (!is_size(printed_[i])) {
        finding = describe(printed_[i], found[i], chosen[i], best, pool_);
        add_kernel_note(finding, best, known_, pool_);
        add_slips(finding, *report.explanation);
      }
    }
    match_sizes(report.findings, chosen, best);
    compare_explanations(report, best);
    return report;
  }

 private:
  /// Of each tensor; empty for a size.
  std::vector<Candidates> find_candidates(KnownSteps& best) const {
    CandidateFinder finder(best, known_, pool_);
    std::vector<Candidates> found(printed_.size());
    for (std::size_t i = 0; i < printed_.size(); ++i) {
      if (!is_size(printed_[i])) {
        found[i] = finder.find(printed_[i], likenesses_[i]);
      }
    }
    return found;
  }

  std::vector<Choice> choose_steps(std::vector<Candidates>& found, const KnownSteps& best) const {
    std::vector<Alternatives> page;
    for (std::size_t i = 0; i < printed_.size(); ++i) {
      page.push_back({plain_label(printed_[i].label), found[i].steps});
    }
    std::vector<Choice> chosen = choose_in_order(page, best);
    trust_labels(printed_, best, pool_, found, chosen);
    return chosen;
  }

  /// Says whose numbers the page has where they are not those of the article's own kernels.
  void compare_explanations(Report& report, const KnownSteps& best) const {
    const Score best_score = score_of(best, printed_, likenesses_);
    for (const KnownSteps& other : known_) {
      const Explanation& explanation = other.explanation();
      const bool is_article = explanation.preferred && explanation.article == report.explanation->article;
      const bool other_blas = differs_in_blas_alone(explanation, *report.explanation);
      if ((is_article || other_blas) && best_score.is_better_than(score_of(other, printed_, likenesses_))) {
        report.blas_shows = report.blas_shows || other_blas;
        if (is_article) {
          report.notes.push_back(whose_numbers(*report.explanation, explanation));
        }
      }
    }
  }

  std::span<const Printed> printed_;
  Pool pool_;
  std::vector<KnownSteps> known_;
  std::vector<std::vector<Likeness>> likenesses_;
};

}  // namespace

Report match(std::span<const Printed> printed, std::span<const Explanation> explanations) {
  return Matcher(printed, explanations).run();
}

}  // namespace attn::verify
