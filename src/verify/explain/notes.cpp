#include "verify/explain/notes.hpp"

#include <string>

#include "verify/explain/kernel_words.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// Returns true if the printed tensor matches the slip.
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

void add_slips(Finding& finding) {
  if (finding.verdict == Verdict::unknown || !finding.step || is_size(*finding.printed)) {
    return;
  }
  for (const Slip& slip : finding.explanation->slips) {
    const bool labelled = plain_label(finding.printed->label).find(plain_label(slip.label)) != std::string::npos;
    if (slip.chapter == finding.chapter() && slip.step == finding.step->name && labelled && fits(slip, finding)) {
      finding.notes.emplace_back(slip.text);
    }
  }
}

void add_elsewhere(Finding& finding, const KnownStep& elsewhere) {
  const Explanation& whose = *elsewhere.explanation;
  Explanation usual = whose;
  usual.dropout_kernel = "default";
  const bool same_article = finding.explanation && finding.explanation->article == whose.article;
  finding.notes.push_back(same_article                        ? whose_numbers(whose, *finding.explanation)
                          : whose.dropout_kernel != "default" ? whose_numbers(whose, usual)
                                                              : "article " + whose.article + " has these numbers: " +
                                                                    whose.chapter + ", " + elsewhere.step->name);
}

}  // namespace attn::verify
