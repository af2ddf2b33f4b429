#include "verify/explain/notes.hpp"

#include <algorithm>

namespace attn::verify {
namespace {

/// How many choices set two explanations of one article apart; more for another article.
int apart(const Explanation& a, const Explanation& b) {
  return (a.article != b.article ? 10 : 0) + (a.seed != b.seed ? 2 : 0) + (a.cpu != b.cpu ? 1 : 0) +
         (a.blas != b.blas ? 1 : 0) +         (a.dropout_kernel != b.dropout_kernel ? 1 : 0);
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

std::string cpu_words(const Explanation& explanation) { return explanation.cpu + " kernels"; }

std::string blas_words(const Explanation& explanation) { return "OpenBLAS's " + explanation.blas + " kernels"; }

std::string dropout_words(const Explanation& explanation) {
  return (explanation.dropout_kernel == "mkl" ? "MKL" : explanation.dropout_kernel) + " dropout kernel";
}

std::string whose_numbers(const Explanation& whose, const Explanation& other) {
  std::string words;
  const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : " and ") + more; };
  if (whose.cpu != other.cpu) {
    add(cpu_words(whose));
  }
  if (whose.blas != other.blas) {
    add("products by " + blas_words(whose));
  }
  if (whose.dropout_kernel != other.dropout_kernel) {
    add(dropout_words(whose));
  }
  const std::string seed = whose.seed == other.seed ? "" : " with seed " + std::to_string(whose.seed);
  return "these are the numbers of PyTorch" + (words.empty() ? "" : "'s " + words) + seed;
}

std::vector<std::size_t> exact_numbers(const Printed& printed, const Pool& pool) {
  std::vector<std::size_t> result;
  for (const std::size_t numbers : pool.alike(printed)) {
    const Tally quick = has_gap(printed) ? tally(printed.cells, shown_values(printed, pool[numbers]), 0)
                                         : tally(printed.cells, pool[numbers].values, 0);
    if (quick == Tally{}) {
      result.push_back(numbers);
    }
  }
  return result;
}

std::optional<std::size_t> counterpart(const KnownSteps& known, const KnownSteps& other, std::size_t i) {
  const Step& wanted = *other[i].step;
  for (std::size_t step = 0; step < known.steps().size(); ++step) {
    const Step& here = *known[step].step;
    if (here.kind == wanted.kind && here.name == wanted.name && here.section == wanted.section &&
        here.label == wanted.label && here.tensor->shape() == wanted.tensor->shape() &&
        known.chapter(step) == other.chapter(i)) {
      return step;
    }
  }
  return std::nullopt;
}

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
  if (finding.verdict == Verdict::unknown || finding.printed->kind != Printed::Kind::tensor) {
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
