#include "verify/explain/match.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "verify/explain/align.hpp"
#include "verify/explain/known_steps.hpp"
#include "verify/explain/notes.hpp"
#include "verify/explain/page_order.hpp"
#include "verify/explain/sizes.hpp"

namespace attn::verify {
namespace {

/// How well a pool's numbers of the same shape fit a printed tensor.
struct Likeness {
  std::size_t numbers;
  Tally tally;
};

std::int64_t cell_count(const Printed& printed) { return static_cast<std::int64_t>(printed.cells.size()); }

/// Whether these are the tensor's numbers: no cell differs, and not too many do in the last digit.
bool holds(const Tally& found, std::int64_t cells) {
  return found.differs == 0 && (found.last_digit <= 1 || found.last_digit * 2 <= cells);
}

/// The pool's numbers that at least half of the printed cells agree with.
std::vector<Likeness> likenesses(const Printed& printed, const Pool& pool) {
  const std::int64_t most = cell_count(printed) / 2;
  std::vector<Likeness> result;
  for (const std::size_t numbers : pool.alike(printed)) {
    const Tally found = has_gap(printed) ? tally(printed.cells, shown_values(printed, pool[numbers]), most)
                                         : tally(printed.cells, pool[numbers].values, most);
    if (found.differs <= most) {
      result.push_back({numbers, found});
    }
  }
  return result;
}

// ---- Which explanation --------------------------------------------------------------------------

/// How well an explanation fits a page.
struct Score {
  std::int64_t tensors = 0;
  std::int64_t sizes = 0;
  std::int64_t last_digits = 0;
  std::int64_t differing = 0;

  bool operator==(const Score&) const = default;
  bool is_better_than(const Score& other) const {
    return std::tuple(-tensors, -sizes, last_digits, differing) <
           std::tuple(-other.tensors, -other.sizes, other.last_digits, other.differing);
  }
};

// ---- Which step ---------------------------------------------------------------------------------

/// What one printed tensor may be.
struct Candidates {
  std::vector<std::size_t> steps;                 ///< equally good
  std::map<std::size_t, Fit> fits;                ///< of steps; none where the numbers hold
  std::optional<std::size_t> nearest;             ///< where there are no steps
  std::int64_t differing_from_nearest = 0;
  bool same_layout = false;
};

class Matcher {
 public:
  Matcher(std::span<const Printed> printed, std::span<const Explanation> explanations) : printed_(printed) {
    for (const Explanation& explanation : explanations) {
      known_.emplace_back(explanation, pool_);
    }
    for (const Printed& one : printed) {
      likenesses_.push_back(one.kind == Printed::Kind::tensor ? likenesses(one, pool_) : std::vector<Likeness>{});
    }
  }

  Report run();

 private:
  Score score(const KnownSteps& known) const;
  std::size_t best_explanation() const;
  Candidates candidates(std::size_t i);
  void keep_same_layout(const Printed& printed, Candidates& found);
  void find_fits(const Printed& printed, Candidates& found);
  void find_other_shapes(const Printed& printed, std::int64_t& least, Candidates& found);
  void find_elsewhere(const Printed& printed, Candidates& found);
  void find_nearest(const Printed& printed, Candidates& found) const;
  std::optional<std::size_t> labelled_step(std::size_t i, std::span<const std::optional<std::size_t>> chosen) const;
  void trust_labels(std::vector<Candidates>& found, std::vector<std::optional<std::size_t>>& chosen);
  Finding finding(std::size_t i, const Candidates& found, std::optional<std::size_t> step);
  void add_page_note(Report& report) const;

  std::span<const Printed> printed_;
  Pool pool_;
  std::vector<KnownSteps> known_;
  std::vector<std::vector<Likeness>> likenesses_;
  KnownSteps* best_ = nullptr;
  /// Looking for lost rows is for pages with a few; this many cells may be compared for it.
  std::int64_t patience_ = 400'000'000;
};

Score Matcher::score(const KnownSteps& known) const {
  Score result;
  for (std::size_t i = 0; i < printed_.size(); ++i) {
    if (printed_[i].kind == Printed::Kind::size) {
      result.sizes += known.of_size(printed_[i].shape).empty() ? 0 : 1;
      continue;
    }
    Tally best{cell_count(printed_[i]), 0};
    for (const Likeness& likeness : likenesses_[i]) {
      if (known.has(likeness.numbers) && weight(likeness.tally) <= weight(best)) {
        best = likeness.tally;
      }
    }
    const bool held = holds(best, cell_count(printed_[i])) && !likenesses_[i].empty();
    result.tensors += held ? 1 : 0;
    result.last_digits += best.last_digit;
    result.differing += best.differs;
  }
  return result;
}

std::size_t Matcher::best_explanation() const {
  std::optional<std::size_t> best;
  Score best_score;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Explanation& explanation = known_[i].explanation();
    if (!explanation.allowed) {
      continue;
    }
    const Score here = score(known_[i]);
    const bool wins_tie = best && here == best_score && explanation.preferred &&
                          !known_[*best].explanation().preferred;
    if (!best || here.is_better_than(best_score) || wins_tie) {
      best = i;
      best_score = here;
    }
  }
  if (!best) {
    throw std::invalid_argument("no explanation is allowed; allow one");
  }
  return *best;
}

Candidates Matcher::candidates(std::size_t i) {
  const Printed& printed = printed_[i];
  Candidates found;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  bool held = false;
  for (const Likeness& likeness : likenesses_[i]) {
    const std::int64_t here = weight(likeness.tally);
    if (!best_->has(likeness.numbers) || here > least) {
      continue;
    }
    if (here < least) {
      found.steps.clear();
      held = false;
    }
    least = here;
    held = held || holds(likeness.tally, cell_count(printed));
    const auto& steps = best_->having(likeness.numbers);
    found.steps.insert(found.steps.end(), steps.begin(), steps.end());
  }
  if (held) {
    keep_same_layout(printed, found);
    return found;
  }
  found.steps.clear();
  find_fits(printed, found);
  if (found.steps.empty()) {
    find_elsewhere(printed, found);
  }
  if (found.steps.empty()) {
    find_nearest(printed, found);
  }
  return found;
}

void Matcher::keep_same_layout(const Printed& printed, Candidates& found) {
  const std::string layout = plain_layout(printed.text);
  std::vector<std::size_t> same;
  std::copy_if(found.steps.begin(), found.steps.end(), std::back_inserter(same),
               [&](std::size_t step) { return best_->layout(step) == layout; });
  if (!same.empty()) {
    found.steps = std::move(same);
    found.same_layout = true;
  }
}

/// Whether a tensor with differing cells is nevertheless this step.
bool is_recognised(const Fit& fit, const Printed& printed, const std::string& label, const KnownStep& step) {
  const std::int64_t cells = cell_count(printed);
  if (fit.change.kind == Change::Kind::swapped || fit.tally.differs * 2 <= cells) {
    return true;
  }
  const bool labelled = !label.empty() && label_distance(label, step) == 0;
  return labelled && (cells <= 3 || fit.tally.differs * 4 <= cells * 3);
}

void keep_cheapest(Candidates& found, std::int64_t& least, std::size_t step, const Fit& fit) {
  if (fit.cost > least) {
    return;
  }
  if (fit.cost < least) {
    found.steps.clear();
    found.fits.clear();
    least = fit.cost;
  }
  found.steps.push_back(step);
  found.fits.emplace(step, fit);
}

void Matcher::find_fits(const Printed& printed, Candidates& found) {
  const std::string label = plain_label(printed.label);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t least_of_any = least;
  for (const std::size_t numbers : pool_.alike(printed)) {
    if (!best_->has(numbers)) {
      continue;
    }
    const Fit fit = fit_same_shape(printed, shown_values(printed, pool_[numbers]));
    for (const std::size_t step : best_->having(numbers)) {
      if (is_recognised(fit, printed, label, (*best_)[step])) {
        keep_cheapest(found, least, step, fit);
      } else if (fit.tally.differs < least_of_any) {
        least_of_any = fit.tally.differs;
        found.nearest = step;
        found.differing_from_nearest = fit.tally.differs;
      }
    }
  }
  if (found.steps.empty() || found.fits.begin()->second.cost * 4 > weight_of_cell * cell_count(printed)) {
    find_other_shapes(printed, least, found);
  }
}

void Matcher::find_other_shapes(const Printed& printed, std::int64_t& least, Candidates& found) {
  for (std::size_t numbers = 0; numbers < pool_.size() && patience_ > 0; ++numbers) {
    if (!best_->has(numbers) || same_shape(printed, pool_[numbers].shape)) {
      continue;
    }
    patience_ -= 1 + cell_count(printed);
    if (const auto fit = fit_other_shape(printed, pool_[numbers])) {
      for (const std::size_t step : best_->having(numbers)) {
        keep_cheapest(found, least, step, *fit);
      }
    }
  }
}

/// Recognises a tensor by its having the numbers of other kernels in the same step.
void Matcher::find_elsewhere(const Printed& printed, Candidates& found) {
  for (const std::size_t numbers : exact_numbers(printed, pool_)) {
    for (const KnownSteps& other : known_) {
      if (other.explanation().article != best_->explanation().article) {
        continue;
      }
      for (const std::size_t there : other.having(numbers)) {
        if (const auto step = counterpart(*best_, other, there)) {
          const Numbers& here = pool_[(*best_)[*step].numbers];
          found.steps.push_back(*step);
          found.fits.insert_or_assign(*step, fit_same_shape(printed, shown_values(printed, here)));
        }
      }
      if (!found.steps.empty()) {
        return;
      }
    }
  }
}

/// How far shapes are apart; ranks count most.
std::int64_t shape_distance(const Shape& a, const Shape& b) {
  const auto ranks = std::abs(static_cast<std::int64_t>(a.size()) - static_cast<std::int64_t>(b.size()));
  std::int64_t result = 100 * ranks;
  for (std::size_t axis = 0; axis < std::min(a.size(), b.size()); ++axis) {
    result += std::min<std::int64_t>(std::abs(a[axis] - b[axis]), 20);
  }
  return result;
}

void Matcher::find_nearest(const Printed& printed, Candidates& found) const {
  if (found.nearest) {
    return;
  }
  const std::string label = plain_label(printed.label);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t step = 0; step < best_->steps().size(); ++step) {
    const KnownStep& known = (*best_)[step];
    const std::int64_t here =
        shape_distance(printed.shape, known.step->tensor->shape()) + 4 * label_distance(label, known);
    if (!known.is_size && same_kind(printed, pool_[known.numbers]) && here < least) {
      least = here;
      found.nearest = step;
    }
  }
}

/// A tensor of so few cells that other steps have its numbers, too, by chance.
bool says_little(const Printed& printed) { return printed.kind == Printed::Kind::tensor && cell_count(printed) <= 2; }

/// The step of the tensor's label and shape in the chapter of what is printed before or after it.
std::optional<std::size_t> Matcher::labelled_step(std::size_t i,
                                                  std::span<const std::optional<std::size_t>> chosen) const {
  const std::string label = plain_label(printed_[i].label);
  const auto is_near = [&](std::size_t step) {
    const bool before = i > 0 && chosen[i - 1] && (*best_)[*chosen[i - 1]].chapter == (*best_)[step].chapter;
    const bool after =
        i + 1 < chosen.size() && chosen[i + 1] && (*best_)[*chosen[i + 1]].chapter == (*best_)[step].chapter;
    return before || after;
  };
  for (std::size_t step = 0; step < best_->steps().size() && !label.empty(); ++step) {
    const KnownStep& known = (*best_)[step];
    if (!known.is_size && label_distance(label, known) == 0 && is_near(step) &&
        same_shape(printed_[i], pool_[known.numbers].shape) && same_kind(printed_[i], pool_[known.numbers])) {
      return step;
    }
  }
  return std::nullopt;
}

/// A single number that is wrong under its label is not another step's that happens to have it.
void Matcher::trust_labels(std::vector<Candidates>& found, std::vector<std::optional<std::size_t>>& chosen) {
  for (std::size_t i = 0; i < printed_.size(); ++i) {
    if (!says_little(printed_[i]) || !chosen[i] ||
        label_distance(plain_label(printed_[i].label), (*best_)[*chosen[i]]) == 0) {
      continue;
    }
    if (const auto step = labelled_step(i, chosen)) {
      const Fit fit = fit_same_shape(printed_[i], shown_values(printed_[i], pool_[(*best_)[*step].numbers]));
      chosen[i] = step;
      found[i].fits.insert_or_assign(*step, fit);
    }
  }
}

// ---- What is found ------------------------------------------------------------------------------

/// Lists the cells that are not as the step has them: those that differ, or else those that do in the last digit.
void list_differences(Finding& finding, const Fit& fit, const Numbers& numbers, std::span<const double> values) {
  const Printed& printed = *finding.printed;
  const Cell* sample = sample_cell(printed.cells);
  const CellVerdict wanted = fit.tally.differs > 0 ? CellVerdict::differs : CellVerdict::last_digit;
  const auto add = [&](const Difference& difference) {
    if (finding.differences.size() < most_listed) {
      finding.differences.push_back(difference);
    }
  };
  for (const std::int64_t position : fit.alignment.lost()) {
    const double exact = numbers.values[static_cast<std::size_t>(position)];
    add({index_of(position, numbers.shape), "", in_format_of(sample ? *sample : Cell{}, exact), exact});
    ++finding.differing_cells;
  }
  for (std::size_t i = 0; i < printed.cells.size(); ++i) {
    const std::int64_t position = fit.alignment.in_step(static_cast<std::int64_t>(i));
    const Cell& cell = printed.cells[i];
    const Shape& shape = is_regular(printed) ? printed.shape : numbers.shape;
    if (position < 0) {
      add({index_of(static_cast<std::int64_t>(i), shape), std::string(cell.text), "", 0});
      ++finding.differing_cells;
      continue;
    }
    const double exact = values[static_cast<std::size_t>(position)];
    if (compare_cell(cell, exact) == wanted) {
      const Shape index = index_of(is_regular(printed) ? static_cast<std::int64_t>(i) : position, shape);
      const Cell& style = std::isfinite(cell.value) || !sample ? cell : *sample;
      add({index, std::string(cell.text), in_format_of(style, exact), exact});
    }
  }
  finding.differing_cells += fit.tally.differs;
  finding.last_digit_cells = fit.tally.last_digit;
}

Finding Matcher::finding(std::size_t i, const Candidates& found, std::optional<std::size_t> step) {
  const Printed& printed = printed_[i];
  Finding result;
  result.printed = &printed;
  if (!step) {
    result.verdict = Verdict::unknown;
    result.differing_cells = found.differing_from_nearest;
    if (found.nearest) {
      result.step = (*best_)[*found.nearest].step;
      result.chapter = best_->chapter(*found.nearest);
    }
    return result;
  }
  result.step = (*best_)[*step].step;
  result.chapter = best_->chapter(*step);
  const Numbers& numbers = pool_[(*best_)[*step].numbers];
  const bool laid_whole = same_shape(printed, numbers.shape);
  const std::vector<double> values = laid_whole ? shown_values(printed, numbers) : numbers.values;
  const auto fit = found.fits.find(*step);
  if (fit == found.fits.end()) {
    const Tally cells = tally(printed.cells, values, 0);
    result.verdict = cells.last_digit > 0 ? Verdict::last_digit
                     : found.same_layout  ? Verdict::same
                                          : Verdict::same_numbers;
    if (cells.last_digit > 0) {
      list_differences(result, fit_same_shape(printed, values), numbers, values);
    } else if (!found.same_layout) {
      result.layout = layout_difference(printed, plain_layout(printed.text), best_->layout(*step));
    }
    return result;
  }
  result.verdict = Verdict::differs;
  result.change = fit->second.change;
  list_differences(result, fit->second, numbers, values);
  return result;
}

bool differs_in_blas_alone(const Explanation& a, const Explanation& b) {
  return a.blas != b.blas && a.article == b.article && a.seed == b.seed && a.cpu == b.cpu &&
         a.dropout_kernel == b.dropout_kernel;
}

/// The article's own kernels, where another explanation fits the page better.
void Matcher::add_page_note(Report& report) const {
  for (const KnownSteps& other : known_) {
    const bool is_article = other.explanation().article == report.explanation->article &&
                            other.explanation().seed == report.explanation->seed && other.explanation().preferred;
    const bool other_blas = differs_in_blas_alone(other.explanation(), *report.explanation);
    report.blas_shows = report.blas_shows || (other_blas && score(*best_).is_better_than(score(other)));
    if (is_article && score(*best_).is_better_than(score(other))) {
      report.notes.push_back(whose_numbers(*report.explanation, other.explanation()));
    }
  }
}

Report Matcher::run() {
  best_ = &known_[best_explanation()];
  std::vector<Candidates> found(printed_.size());
  std::vector<Choices> choices(printed_.size());
  for (std::size_t i = 0; i < printed_.size(); ++i) {
    if (printed_[i].kind == Printed::Kind::tensor) {
      found[i] = candidates(i);
      choices[i] = {plain_label(printed_[i].label), found[i].steps};
    }
  }
  auto chosen = choose_in_order(choices, *best_);
  trust_labels(found, chosen);
  Report report;
  report.explanation = &best_->explanation();
  for (std::size_t i = 0; i < printed_.size(); ++i) {
    report.findings.emplace_back().printed = &printed_[i];
    if (printed_[i].kind == Printed::Kind::tensor) {
      report.findings.back() = finding(i, found[i], chosen[i]);
      add_kernel_note(report.findings.back(), *best_, known_, pool_);
      add_slips(report.findings.back(), *report.explanation);
    }
  }
  match_sizes(report.findings, chosen, *best_);
  add_page_note(report);
  return report;
}

bool is_holding(Verdict verdict) { return verdict != Verdict::differs && verdict != Verdict::unknown; }

}  // namespace

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::same: return "same";
    case Verdict::same_numbers: return "same numbers";
    case Verdict::last_digit: return "last digit";
    case Verdict::differs: return "differs";
    case Verdict::unknown: break;
  }
  return "unknown";
}

std::int64_t Report::count(Printed::Kind kind) const {
  return std::count_if(findings.begin(), findings.end(),
                       [kind](const Finding& finding) { return finding.printed->kind == kind; });
}

std::int64_t Report::holding(Printed::Kind kind) const {
  return std::count_if(findings.begin(), findings.end(), [kind](const Finding& finding) {
    return finding.printed->kind == kind && is_holding(finding.verdict);
  });
}

Report match(std::span<const Printed> printed, std::span<const Explanation> explanations) {
  return Matcher(printed, explanations).run();
}

}  // namespace attn::verify
