#include "verify/explain/notes.hpp"

#include <string>

#include "verify/explain/kernel_words.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// How many choices set two explanations of one article apart; more for another article.
int apart(const Explanation& a, const Explanation& b) {
  return (a.article != b.article ? 10 : 0) + (a.cpu != b.cpu ? 1 : 0) + (a.blas != b.blas ? 1 : 0) +
         (a.dropout_kernel != b.dropout_kernel ? 1 : 0);
}

/// Whether the printed tensor is as the slip says.
bool fits(const Slip& slip, const Finding& finding) {
  const Printed& printed = *finding.printed;
  switch (slip.where) {
    case Slip::Where::no_grad_fn: return printed.grad_fn.empty() && !finding.step->tensor->grad_fn().empty();
    case Slip::Where::missing_parenthesis: return printed.missing_parenthesis;
    case Slip::Where::other_shape: return printed.ragged || !same_shape(printed, finding.step->tensor->shape());
    case Slip::Where::always: break;
  }
  return true;
}

}  // namespace

void add_kernel_note(Finding& finding, const KnownSteps& best, std::span<const KnownSteps> all, const Pool& pool) {
  if (finding.verdict == Verdict::same || finding.verdict == Verdict::same_numbers) {
    return;
  }
  const KnownSteps* nearest = nullptr;
  std::size_t step = 0;
  for (const std::size_t numbers : exact_numbers(*finding.printed, pool)) {
    for (const KnownSteps& other : all) {
      const bool nearer = !nearest || apart(other.explanation(), best.explanation()) <
                                          apart(nearest->explanation(), best.explanation());
      if (other.has(numbers) && nearer) {
        nearest = &other;
        step = other.having(numbers).front();
      }
    }
  }
  if (!nearest) {
    return;
  }
  const Explanation& whose = nearest->explanation();
  finding.notes.push_back(whose.article == best.explanation().article
                              ? whose_numbers(whose, best.explanation())
                              : "article " + whose.article + " has these numbers: " + nearest->chapter(step) + ", " +
                                    (*nearest)[step].step->name);
}

void add_slips(Finding& finding, const Explanation& explanation) {
  if (finding.verdict == Verdict::unknown || is_size(*finding.printed)) {
    return;
  }
  for (const Slip& slip : explanation.slips) {
    const bool labelled = plain_label(finding.printed->label).find(plain_label(slip.label)) != std::string::npos;
    if (slip.chapter == finding.chapter && slip.step == finding.step->name && labelled && fits(slip, finding)) {
      finding.notes.emplace_back(slip.text);
    }
  }
}

}  // namespace attn::verify
