#include "verify/explain/choose.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace attn::verify {
namespace {

/// The number of printed tensors that an explanation could cover.
using Support = std::unordered_map<const Explanation*, std::int64_t>;

constexpr std::size_t most = 24;  ///< the most steps considered for one printed tensor

/// The cheapest way to reach one choice.
struct Reached {
  std::int64_t cost = 0;
  std::uint8_t from = 0;  ///< the choice at the previous stage
};
static_assert(most <= 256);

std::int64_t own_cost(const Alternatives& printed, const KnownStep& step) {
  const bool other_grad = printed.grad_fn != step.step->tensor->grad_fn();
  return label_distance(printed.label, step) + (step.step->in_article ? 0 : 1) + (other_grad ? 1 : 0) +
         (step.explanation->preferred ? 0 : 1) + (step.explanation->wave > 0 ? 1 : 0);
}

/// Reduces the steps to a few. Steps of another language are dropped if a PyTorch program has them and PyTorch printed
/// the tensor. Among many steps with equal numbers, those whose explanations cover most of the page are kept, then the
/// best individually.
std::vector<std::size_t> few(const Alternatives& alternatives, const Known& known, const Support& support) {
  std::vector<std::size_t> steps = alternatives.steps;
  const auto is_pytorch = [&](std::size_t step) { return known[step].explanation->is_pytorch; };
  if (alternatives.is_pytorch && std::ranges::any_of(steps, is_pytorch)) {
    std::erase_if(steps, [&](std::size_t step) { return !is_pytorch(step); });
  }
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

/// One printed tensor on the path.
struct Stage {
  std::vector<std::size_t> steps;
  std::vector<Reached> reached;
};

Reached reach(const Stage& previous, std::size_t step, const Known& known) {
  Reached best;
  for (std::size_t i = 0; i < previous.steps.size(); ++i) {
    const std::int64_t cost = previous.reached[i].cost + order_distance(known[previous.steps[i]], known[step]);
    if (i == 0 || cost < best.cost) {
      best = {cost, static_cast<std::uint8_t>(i)};
    }
  }
  return best;
}

/// The choices at each stage and the choices from which each was reached, for the way back.
class Trail {
 public:
  void add(std::size_t position, const Stage& stage) {
    begins_.push_back({position, marks_.size()});
    for (std::size_t i = 0; i < stage.steps.size(); ++i) {
      marks_.push_back({static_cast<std::uint32_t>(stage.steps[i]), stage.reached[i].from});
    }
  }

  /// Sets the choices on the path that ends in the last stage's choice `last`.
  void follow(std::size_t last, std::vector<Choice>& chosen) const {
    for (std::size_t i = begins_.size(); i-- > 0;) {
      const Mark& mark = marks_[begins_[i].mark + last];
      chosen[begins_[i].position] = mark.step;
      last = mark.from;
    }
  }

 private:
  struct Begin {
    std::size_t position;  ///< place on the page
    std::size_t mark;      ///< the stage's first mark
  };
  struct Mark {
    std::uint32_t step;
    std::uint8_t from;
  };

  std::vector<Begin> begins_;
  std::vector<Mark> marks_;
};

Support support_of(std::size_t count, const AlternativesOf& alternatives, const Known& known) {
  Support support;
  for (std::size_t position = 0; position < count; ++position) {
    const Explanation* last = nullptr;
    for (const std::size_t step : alternatives(position).steps) {
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

std::vector<Choice> choose_in_order(std::size_t count, const AlternativesOf& alternatives, const Known& known) {
  const Support support = support_of(count, alternatives, known);
  Trail trail;
  Stage last;
  for (std::size_t position = 0; position < count; ++position) {
    const Alternatives here = alternatives(position);
    if (here.steps.empty()) {
      continue;
    }
    Stage stage{few(here, known, support), {}};
    for (const std::size_t step : stage.steps) {
      Reached reached = last.steps.empty() ? Reached{} : reach(last, step, known);
      reached.cost += own_cost(here, known[step]);
      stage.reached.push_back(reached);
    }
    trail.add(position, stage);
    last = std::move(stage);
  }
  std::vector<Choice> chosen(count);
  if (!last.steps.empty()) {
    trail.follow(cheapest(last.reached), chosen);
  }
  return chosen;
}

}  // namespace attn::verify
