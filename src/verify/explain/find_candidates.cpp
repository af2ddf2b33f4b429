#include "verify/explain/find_candidates.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "verify/explain/align.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

std::int64_t cell_count(const Printed& printed) { return static_cast<std::int64_t>(printed.cells.size()); }

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

/// How far shapes are apart; ranks count most.
std::int64_t shape_distance(const Shape& a, const Shape& b) {
  const auto ranks = std::abs(static_cast<std::int64_t>(a.size()) - static_cast<std::int64_t>(b.size()));
  std::int64_t result = 100 * ranks;
  for (std::size_t axis = 0; axis < std::min(a.size(), b.size()); ++axis) {
    result += std::min<std::int64_t>(std::abs(a[axis] - b[axis]), 20);
  }
  return result;
}

/// The step of `known` that is what step `i` of `other` is there.
Choice counterpart(const KnownSteps& known, const KnownSteps& other, std::size_t i) {
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

}  // namespace

bool CandidateFinder::find_holding(const Printed& printed, std::span<const Likeness> likenesses,
                                   Candidates& found) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  bool held = false;
  for (const Likeness& likeness : likenesses) {
    const std::int64_t here = weight(likeness.tally);
    if (!best_.has(likeness.numbers) || here > least) {
      continue;
    }
    if (here < least) {
      found.steps.clear();
      held = false;
    }
    least = here;
    held = held || holds(likeness.tally, printed);
    const auto& steps = best_.having(likeness.numbers);
    found.steps.insert(found.steps.end(), steps.begin(), steps.end());
  }
  return held;
}

Candidates CandidateFinder::find(const Printed& printed, std::span<const Likeness> likenesses) {
  Candidates found;
  if (find_holding(printed, likenesses, found)) {
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

void CandidateFinder::keep_same_layout(const Printed& printed, Candidates& found) {
  const std::string layout = plain_layout(printed.text);
  std::vector<std::size_t> same;
  std::copy_if(found.steps.begin(), found.steps.end(), std::back_inserter(same),
               [&](std::size_t step) { return best_.layout(step) == layout; });
  if (!same.empty()) {
    found.steps = std::move(same);
    found.same_layout = true;
  }
}

void CandidateFinder::find_fits(const Printed& printed, Candidates& found) {
  const std::string label = plain_label(printed.label);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t least_of_any = least;
  for (const std::size_t numbers : pool_.alike(printed)) {
    if (!best_.has(numbers)) {
      continue;
    }
    const Fit fit = fit_same_shape(printed, shown_values(printed, pool_[numbers]));
    for (const std::size_t step : best_.having(numbers)) {
      if (is_recognised(fit, printed, label, best_[step])) {
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

void CandidateFinder::find_other_shapes(const Printed& printed, std::int64_t& least, Candidates& found) {
  for (std::size_t numbers = 0; numbers < pool_.size() && patience_ > 0; ++numbers) {
    if (!best_.has(numbers) || same_shape(printed, pool_[numbers].shape)) {
      continue;
    }
    patience_ -= 1 + cell_count(printed);
    if (const auto fit = fit_other_shape(printed, pool_[numbers])) {
      for (const std::size_t step : best_.having(numbers)) {
        keep_cheapest(found, least, step, *fit);
      }
    }
  }
}

/// Recognises a tensor by its having the numbers of other kernels in the same step.
void CandidateFinder::find_elsewhere(const Printed& printed, Candidates& found) const {
  for (const std::size_t numbers : exact_numbers(printed, pool_)) {
    for (const KnownSteps& other : all_) {
      if (other.explanation().article != best_.explanation().article) {
        continue;
      }
      for (const std::size_t there : other.having(numbers)) {
        if (const auto step = counterpart(best_, other, there)) {
          const Numbers& here = pool_[best_[*step].numbers];
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

void CandidateFinder::find_nearest(const Printed& printed, Candidates& found) const {
  if (found.nearest) {
    return;
  }
  const std::string label = plain_label(printed.label);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t step = 0; step < best_.steps().size(); ++step) {
    const KnownStep& known = best_[step];
    const std::int64_t here =
        shape_distance(printed.shape, known.step->tensor->shape()) + 4 * label_distance(label, known);
    if (!known.is_size && same_kind(printed, pool_[known.numbers]) && here < least) {
      least = here;
      found.nearest = step;
    }
  }
}

}  // namespace attn::verify
