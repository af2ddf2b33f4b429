#include "verify/explain/find_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "verify/bound/chance.hpp"
#include "verify/explain/align.hpp"
#include "verify/explain/compare.hpp"
#include "verify/explain/evidence.hpp"

namespace attn::verify {
namespace {

std::string content_of(const Printed& printed) {
  std::string content = shape_text(printed.shape) + (is_size(printed) ? "s" : printed.is_bool ? "b" : "t");
  for (const std::int64_t gap : printed.shown_before_gap) {
    content += std::to_string(gap) + ",";
  }
  for (const Cell& cell : printed.cells) {
    content.append(cell.text).append(" ");
  }
  return content;
}

/// Looks up a printed thing by its cells. Stores only a number for each, however long its content is.
class ByContent {
 public:
  explicit ByContent(std::span<const Printed> printed) : places_(0, Hash{printed}, Equal{printed}) {}

  /// The value given with the first thing that has the same cells; `value` itself if this is the first.
  std::size_t first(std::size_t i, std::size_t value) { return places_.try_emplace(i, value).first->second; }

 private:
  struct Hash {
    std::span<const Printed> printed;
    std::size_t operator()(std::size_t i) const { return std::hash<std::string>{}(content_of(printed[i])); }
  };
  struct Equal {
    std::span<const Printed> printed;
    bool operator()(std::size_t a, std::size_t b) const {
      return a == b || content_of(printed[a]) == content_of(printed[b]);
    }
  };
  std::unordered_map<std::size_t, std::size_t, Hash, Equal> places_;
};

void keep_cheapest(Candidates& found, std::int64_t& least, const std::vector<std::size_t>& steps, const Fit& fit) {
  if (fit.cost > least) {
    return;
  }
  if (fit.cost < least) {
    found.steps.clear();
    found.fits.clear();
    least = fit.cost;
  }
  for (const std::size_t step : steps) {
    found.steps.push_back(step);
    found.fits.emplace(step, fit);
  }
}

}  // namespace

StepFinder::StepFinder(std::span<const Printed> printed, std::span<const Explanation> explanations) {
  ByContent by_content(printed);
  distinct_of_.reserve(printed.size());
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const std::size_t id = by_content.first(i, distinct_.size());
    distinct_of_.push_back(id);
    if (id < distinct_.size()) {
      continue;
    }
    Distinct& one = distinct_.emplace_back();
    one.printed = &printed[i];
    one.first = i;
    if (is_size(printed[i]) || !is_regular(printed[i]) || printed[i].cells.empty()) {
      continue;
    }
    one.chance = chance_of_agreeing(printed[i]);
    if (has_gap(printed[i])) {
      with_gap_.push_back(id);
    } else {
      by_shape_[printed[i].shape].push_back(id);
      unexplained_[printed[i].shape] += one.chance < 0 ? 1U : 0U;
    }
  }
  walk_waves(explanations);
  complete_lessons_in_use(explanations);
  for (Distinct& one : distinct_) {
    if (one.candidates.steps.empty() && !is_size(*one.printed)) {
      find_near(one);
    }
  }
}

void StepFinder::walk_waves(std::span<const Explanation> explanations) {
  int last_wave = 0;
  for (const Explanation& explanation : explanations) {
    last_wave = std::max(last_wave, explanation.wave);
  }
  for (int wave = 0; wave <= last_wave; ++wave) {
    for (const Explanation& explanation : explanations) {
      if (explanation.wave != wave || (wave > 0 && !is_wanted(explanation))) {
        continue;
      }
      known_.add(explanation, [&](const Shape& shape) { return is_wanted(shape); });
      if (wave > 0) {
        hold_new();
      }
    }
    hold_new();
  }
}

bool StepFinder::is_near(std::size_t i, const Tally& tally) const {
  const Distinct& one = distinct_[distinct_of_[i]];
  return is_near(tally, one, most_failing(*one.printed));
}

bool StepFinder::is_near(const Tally& tally, const Distinct& one, std::int64_t most) {
  const std::int64_t failing = tally.differs + tally.last_digit;
  if (failing > most) {
    return false;
  }
  const std::size_t all = one.printed->cells.size();
  const auto cells = static_cast<double>(all);
  const double rest =
      one.chance * (cells - static_cast<double>(failing)) / cells + log_ways(all, static_cast<std::size_t>(failing));
  return is_excluded(rest, one.tried);
}

Choice StepFinder::elsewhere(std::size_t i) const {
  const Distinct& one = distinct_[distinct_of_[i]];
  for (const std::size_t id : is_excluded(one.chance, one.tried) ? one.numbers : std::vector<std::size_t>{}) {
    for (const std::size_t step : known_.having(id)) {
      if (!known_[step].explanation->allowed) {
        return step;
      }
    }
  }
  return std::nullopt;
}

bool StepFinder::is_wanted(const Shape& shape) const {
  return by_shape_.contains(shape) ||
         std::ranges::any_of(with_gap_, [&](std::size_t one) { return same_shape(*distinct_[one].printed, shape); });
}

/// Returns true if the explanation has a tensor whose shape is among the unexplained.
bool StepFinder::is_wanted(const Explanation& explanation) const {
  return std::ranges::any_of(explanation.steps.shapes(), [&](const Shape& shape) {
    const auto unexplained = unexplained_.find(shape);
    return (unexplained != unexplained_.end() && unexplained->second > 0) ||
           std::ranges::any_of(with_gap_, [&](std::size_t one) {
             return !distinct_[one].is_explained && same_shape(*distinct_[one].printed, shape);
           });
  });
}

/// Compares the page's tensors with the newly known numbers. Among numbers of one shape, only those whose first cell
/// may be the printed one are compared.
void StepFinder::hold_new() {
  std::map<Shape, std::vector<std::size_t>> fresh;
  for (; held_ < known_.numbers_count(); ++held_) {
    fresh[known_.numbers(held_).shape].push_back(held_);
  }
  for (auto& [shape, ids] : fresh) {
    const auto first_value = [&](std::size_t id) {
      return known_.numbers(id).values.empty() ? 0 : known_.numbers(id).values[0];
    };
    std::ranges::sort(ids, {}, first_value);
    if (const auto alike = by_shape_.find(shape); alike != by_shape_.end()) {
      for (const std::size_t i : alike->second) {
        const Cell& first = distinct_[i].printed->cells.front();
        const double room = first.unit + 1e-6 * std::max(1.0, std::abs(first.value));
        const bool is_number = std::isfinite(first.value);
        const auto begin = is_number ? std::ranges::lower_bound(ids, first.value - room, {}, first_value) : ids.begin();
        const auto end = is_number ? std::ranges::upper_bound(ids, first.value + room, {}, first_value) : ids.end();
        distinct_[i].tried += ids.size();
        hold(distinct_[i], std::span(ids).subspan(static_cast<std::size_t>(begin - ids.begin()),
                                                  static_cast<std::size_t>(end - begin)));
      }
    }
    for (const std::size_t i : with_gap_) {
      if (same_shape(*distinct_[i].printed, shape)) {
        distinct_[i].tried += ids.size();
        hold(distinct_[i], ids);
      }
    }
  }
}

void StepFinder::hold(Distinct& one, std::span<const std::size_t> ids) {
  for (const std::size_t id : ids) {
    if (!same_kind(*one.printed, known_.numbers(id)) || compare(*one.printed, known_.numbers(id), 0) != Tally{}) {
      continue;
    }
    one.numbers.push_back(id);
    const bool allowed =
        std::ranges::any_of(known_.having(id), [&](std::size_t step) { return known_[step].explanation->allowed; });
    if (!one.is_explained && allowed && is_excluded(one.chance, one.tried)) {
      one.is_explained = true;
      unexplained_[one.printed->shape] -= has_gap(*one.printed) ? 0U : 1U;
    }
  }
}

/// For lessons with evidence on the page, adds every chapter and every tensor.
void StepFinder::complete_lessons_in_use(std::span<const Explanation> explanations) {
  std::vector<const Explanation*> in_use;
  for (const Distinct& one : distinct_) {
    for (const std::size_t id : one.is_explained ? one.numbers : std::vector<std::size_t>{}) {
      for (const std::size_t step : known_.having(id)) {
        const Explanation* explanation = known_[step].explanation;
        if (explanation->allowed && std::ranges::find(in_use, explanation) == in_use.end()) {
          in_use.push_back(explanation);
        }
      }
    }
  }
  for (const Explanation& explanation : explanations) {
    if (std::ranges::any_of(in_use, [&](const Explanation* used) { return is_same_lesson(*used, explanation); })) {
      known_.add(explanation, [&](const Shape& shape) { return is_wanted(shape); });
    }
  }
  hold_new();
  for (Distinct& one : distinct_) {
    for (const std::size_t id : one.numbers) {
      std::ranges::copy_if(known_.having(id), std::back_inserter(one.candidates.steps),
                           [&](std::size_t step) { return known_[step].explanation->allowed; });
    }
    one.candidates.is_evidence = is_excluded(one.chance, one.tried);
  }
}

/// Finds steps that match the tensor except for a few cells.
void StepFinder::find_near(Distinct& one) {
  const Printed& printed = *one.printed;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto half = static_cast<std::int64_t>(printed.cells.size() / 2);
  const bool is_telling = is_excluded(one.chance / 2, one.tried);
  const std::int64_t most = most_failing(printed);
  for (const std::size_t id : known_.alike(printed)) {
    if (--patience_ < 0) {
      return;
    }
    const auto fit = is_telling ? fit_same_shape(printed, known_.numbers(id), half) : std::nullopt;
    if (!fit) {
      continue;
    }
    const bool may_be_other_kernels = fit->tally.differs == 0;
    if (may_be_other_kernels || is_near(fit->tally, one, most)) {
      std::vector<std::size_t> steps;
      std::ranges::copy_if(known_.having(id), std::back_inserter(steps),
                           [&](std::size_t step) { return known_[step].explanation->allowed; });
      keep_cheapest(one.candidates, least, steps, *fit);
    }
  }
}

}  // namespace attn::verify
