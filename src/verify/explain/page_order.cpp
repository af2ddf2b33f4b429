#include "verify/explain/page_order.hpp"

#include <algorithm>
#include <cstdint>

namespace attn::verify {
namespace {

/// The best way to reach one choice.
struct Reached {
  std::int64_t cost = 0;
  std::size_t from = 0;  ///< which of the previous choices
};

std::int64_t own_cost(const std::string& label, const KnownStep& step) {
  return label_distance(label, step) + (step.step->in_article ? 0 : 1);
}

/// Of many steps with equal numbers, the best by themselves.
std::vector<std::size_t> few(const Alternatives& alternatives, const KnownSteps& known) {
  constexpr std::size_t most = 24;
  std::vector<std::size_t> steps = alternatives.steps;
  if (steps.size() > most) {
    std::stable_sort(steps.begin(), steps.end(), [&](std::size_t a, std::size_t b) {
      return own_cost(alternatives.label, known[a]) < own_cost(alternatives.label, known[b]);
    });
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

Reached reach(const Stage& previous, std::size_t step, const KnownSteps& known) {
  std::vector<Reached> ways;
  for (std::size_t i = 0; i < previous.steps.size(); ++i) {
    ways.push_back({previous.reached[i].cost + order_distance(known, previous.steps[i], step), i});
  }
  return ways[cheapest(ways)];
}

}  // namespace

std::vector<Choice> choose_in_order(const std::vector<Alternatives>& page, const KnownSteps& known) {
  std::vector<Stage> stages;
  for (std::size_t position = 0; position < page.size(); ++position) {
    if (page[position].steps.empty()) {
      continue;
    }
    Stage stage{position, few(page[position], known), {}};
    for (const std::size_t step : stage.steps) {
      Reached reached = stages.empty() ? Reached{} : reach(stages.back(), step, known);
      reached.cost += own_cost(page[position].label, known[step]);
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
