#include "verify/explain/choose.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace attn::verify {
namespace {

/// How many printed tensors an explanation may have.
using Support = std::unordered_map<const Explanation*, std::int64_t>;

/// The best way to reach one choice.
struct Reached {
  std::int64_t cost = 0;
  std::size_t from = 0;  ///< which of the previous choices
};

std::int64_t own_cost(const Alternatives& printed, const KnownStep& step) {
  const bool other_grad = printed.grad_fn != step.step->tensor->grad_fn();
  return label_distance(printed.label, step) + (step.step->in_article ? 0 : 1) + (other_grad ? 1 : 0) +
         (step.explanation->preferred ? 0 : 1) + (step.explanation->wave > 0 ? 1 : 0);
}

/// Of many steps with equal numbers, those of the explanations that have most of the page, then the best by themselves.
std::vector<std::size_t> few(const Alternatives& alternatives, const Known& known, const Support& support) {
  constexpr std::size_t most = 24;
  std::vector<std::size_t> steps = alternatives.steps;
  if (steps.size() > most) {
    const auto rank = [&](std::size_t step) {
      return std::pair(-support.at(known[step].explanation), own_cost(alternatives, known[step]));
    };
    std::stable_sort(steps.begin(), steps.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    steps.resize(most);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::size_t cheapest(const std::vector<Reached>& reached) {
  const auto best = std::min_element(reached.begin(), reached.end(),
                                     [](const Reached& a, const Reached& b) { return a.cost < b.cost; });
  return static_cast<std::size_t>(best - reached.begin());
}

/// One printed tensor on the way.
struct Stage {
  std::size_t position;  ///< on the page
  std::vector<std::size_t> steps;
  std::vector<Reached> reached;
};

Reached reach(const Stage& previous, std::size_t step, const Known& known) {
  Reached best;
  for (std::size_t i = 0; i < previous.steps.size(); ++i) {
    const std::int64_t cost = previous.reached[i].cost + order_distance(known[previous.steps[i]], known[step]);
    if (i == 0 || cost < best.cost) {
      best = {cost, i};
    }
  }
  return best;
}

Support support_of(const std::vector<Alternatives>& page, const Known& known) {
  Support support;
  for (const Alternatives& alternatives : page) {
    const Explanation* last = nullptr;
    for (const std::size_t step : alternatives.steps) {
      const Explanation* explanation = known[step].explanation;
      support[explanation] += explanation != last ? 1 : 0;
      last = explanation;
    }
  }
  return support;
}

}  // namespace

int order_distance(const KnownStep& previous, const KnownStep& next) {
  const Explanation& from = *previous.explanation;
  const Explanation& to = *next.explanation;
  if (&from == &to) {
    return next.place > previous.place ? 0 : 3;
  }
  if (from.article != to.article) {
    return 8;
  }
  const int lesson = is_same_lesson(from, to) ? 0 : 2;
  return lesson + (to.chapter_order > from.chapter_order ? 4 : 5);
}

std::vector<Choice> choose_in_order(const std::vector<Alternatives>& page, const Known& known) {
  const Support support = support_of(page, known);
  std::vector<Stage> stages;
  for (std::size_t position = 0; position < page.size(); ++position) {
    if (page[position].steps.empty()) {
      continue;
    }
    Stage stage{position, few(page[position], known, support), {}};
    for (const std::size_t step : stage.steps) {
      Reached reached = stages.empty() ? Reached{} : reach(stages.back(), step, known);
      reached.cost += own_cost(page[position], known[step]);
      stage.reached.push_back(reached);
    }
    stages.push_back(std::move(stage));
  }
  std::vector<Choice> chosen(page.size());
  std::size_t choice = stages.empty() ? 0 : cheapest(stages.back().reached);
  for (std::size_t i = stages.size(); i-- > 0;) {
    chosen[stages[i].position] = stages[i].steps[choice];
    choice = stages[i].reached[choice].from;
  }
  return chosen;
}

}  // namespace attn::verify
