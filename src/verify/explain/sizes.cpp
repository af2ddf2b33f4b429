#include "verify/explain/sizes.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

using Steps = std::vector<std::size_t>;

/// Where a printed size stands among what is recognised.
struct Surroundings {
  Choice before;          ///< the last step before it
  Choice after;           ///< the next tensor after it
  bool adjoining = false; ///< `before` is the printed thing right before it
  std::string label;
};

bool is_in_chapter_of(const KnownSteps& known, std::size_t step, const Choice& other) {
  return other && known[step].chapter == known[*other].chapter;
}

/// The step that the program prints next, if it is a size without a label.
Choice unlabelled_size_after(const KnownSteps& known, std::size_t step) {
  for (std::size_t next = step + 1; next < known.steps().size(); ++next) {
    if (known[next].chapter != known[step].chapter) {
      break;
    }
    if (known[next].step->in_article) {
      return known[next].is_size && known[next].label.empty() ? Choice(next) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// The steps that the size must be one of: those that the chapter prints under the same label, or, right after a
/// tensor, the one that follows it. Empty where that is not known.
Steps expected_steps(const KnownSteps& known, const Surroundings& around) {
  Steps expected;
  for (std::size_t i = 0; i < known.steps().size() && !around.label.empty(); ++i) {
    const bool near = is_in_chapter_of(known, i, around.before) || is_in_chapter_of(known, i, around.after);
    if (near && known[i].is_size && known[i].label == around.label) {
      expected.push_back(i);
    }
  }
  if (expected.empty() && around.adjoining) {
    if (const Choice next = unlabelled_size_after(known, *around.before)) {
      expected.push_back(*next);
    }
  }
  return expected;
}

int distance(const KnownSteps& known, const Surroundings& around, std::size_t step) {
  const int order = around.before ? order_distance(known, *around.before, step) : 0;
  return (known[step].is_size ? 0 : 6) + 2 * label_distance(around.label, known[step]) + order;
}

Choice nearest(const KnownSteps& known, const Surroundings& around, const Steps& steps) {
  Choice best;
  int least = std::numeric_limits<int>::max();
  for (const std::size_t step : steps) {
    const int here = distance(known, around, step);
    if (here < least) {
      least = here;
      best = step;
    }
  }
  return best;
}

Steps of_shape(const KnownSteps& known, const Steps& steps, const Shape& shape) {
  Steps result;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(result),
               [&](std::size_t step) { return known[step].step->tensor->shape() == shape; });
  return result;
}

std::size_t differing_axes(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) {
    return std::max(a.size(), b.size());
  }
  std::size_t count = 0;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    count += a[axis] != b[axis] ? 1U : 0U;
  }
  return count;
}

/// The sizes that the program prints and that differ in one axis only.
Steps alike_sizes(const KnownSteps& known, const Shape& shape) {
  Steps result;
  for (std::size_t i = 0; i < known.steps().size(); ++i) {
    if (known[i].is_size && differing_axes(known[i].step->tensor->shape(), shape) == 1) {
      result.push_back(i);
    }
  }
  return result;
}

std::string number_text(const Printed& printed, std::size_t axis) {
  return axis < printed.cells.size() ? std::string(printed.cells[axis].text) : std::to_string(printed.shape[axis]);
}

void list_differing_axes(Finding& finding) {
  const Shape& page = finding.printed->shape;
  const Shape& step = finding.step->tensor->shape();
  for (std::size_t axis = 0; axis < std::max(page.size(), step.size()); ++axis) {
    if (axis < page.size() && axis < step.size() && page[axis] == step[axis]) {
      continue;
    }
    ++finding.differing_cells;
    finding.differences.push_back({{static_cast<std::int64_t>(axis)},
                                   axis < page.size() ? number_text(*finding.printed, axis) : "",
                                   axis < step.size() ? std::to_string(step[axis]) : "",
                                   axis < step.size() ? static_cast<double>(step[axis]) : 0});
  }
}

Choice settle(Finding& finding, const KnownSteps& known, const Surroundings& around) {
  const Shape& shape = finding.printed->shape;
  const Steps expected = expected_steps(known, around);
  Choice choice = nearest(known, around, expected.empty() ? known.of_size(shape) : of_shape(known, expected, shape));
  finding.verdict = choice ? Verdict::same : Verdict::differs;
  if (!choice) {
    choice = nearest(known, around, expected.empty() ? alike_sizes(known, shape) : expected);
  }
  if (!choice) {
    finding.verdict = Verdict::unknown;
    return std::nullopt;
  }
  finding.step = known[*choice].step;
  finding.chapter = known.chapter(*choice);
  if (finding.verdict == Verdict::differs) {
    list_differing_axes(finding);
  }
  return choice;
}

/// For each printed thing, the next recognised tensor after it.
std::vector<Choice> next_choices(const std::vector<Choice>& chosen) {
  std::vector<Choice> next(chosen.size());
  Choice following;
  for (std::size_t i = chosen.size(); i-- > 0;) {
    next[i] = following;
    following = chosen[i] ? chosen[i] : following;
  }
  return next;
}

}  // namespace

void match_sizes(std::span<Finding> findings, std::vector<Choice>& chosen, const KnownSteps& known) {
  const std::vector<Choice> next = next_choices(chosen);
  Choice before;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (is_size(*findings[i].printed)) {
      const bool adjoining = i > 0 && chosen[i - 1].has_value();
      chosen[i] = settle(findings[i], known, {before, next[i], adjoining, plain_label(findings[i].printed->label)});
    }
    before = chosen[i] ? chosen[i] : before;
  }
}

}  // namespace attn::verify
