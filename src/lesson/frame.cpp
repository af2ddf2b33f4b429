#include "lesson/frame.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "lesson/notices.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

/// The most notices of weights that the summary repeats, and the most of any other step.
constexpr std::size_t most_of_weights = 3;

/// Returns true for the result, the weights and the weights after dropout.
bool is_worth_repeating(const Step& step, const Step& result) {
  return &step == &result || (step.kind == Step::Kind::tensor &&
                              (step.tensor->kind() == Kind::softmax || step.tensor->kind() == Kind::dropout));
}

const Step* first_inputs(std::span<const Step> steps) {
  const auto found = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
    return step.kind == Step::Kind::tensor && step.name == "inputs";
  });
  return found == steps.end() ? nullptr : &*found;
}

std::vector<std::string> seen_in(std::span<const Step> steps, std::span<const std::string> tokens) {
  std::vector<std::string> seen;
  const Step* const result = result_of(steps);
  if (result == nullptr) {
    return seen;
  }
  if (const Step* const inputs = first_inputs(steps); inputs != nullptr && inputs != result) {
    seen.push_back("inputs " + shape_text(inputs->tensor->shape()) + " led to " + result->name + " " +
                   shape_text(result->tensor->shape()));
  }
  std::unordered_set<const void*> made_from;
  for_each_source(*result->tensor, made_from, [](const Tensor&) {});
  std::vector<const Step*> told;
  std::unordered_set<const void*> told_ids;
  for (const Step& step : steps) {
    if (step.tensor && made_from.contains(step.tensor->id()) && is_worth_repeating(step, *result) &&
        told_ids.insert(step.tensor->id()).second) {
      told.push_back(&step);
    }
  }
  const auto weights =
      std::count_if(told.begin(), told.end(), [](const Step* step) { return step->tensor->kind() == Kind::softmax; });
  const std::size_t most =
      std::max<std::size_t>(most_of_weights / static_cast<std::size_t>(std::max<std::ptrdiff_t>(weights, 1)), 1);
  for (const Step* const step : told) {
    const std::vector<std::string> all = notices(*step, tokens);
    for (std::size_t i = all.size() - std::min(all.size(), most); i < all.size(); ++i) {  // the last notices say most
      seen.push_back(full_name(*step) + ": " + all[i]);
    }
  }
  return seen;
}

void add(std::vector<std::string>& lines, std::vector<std::string> more) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Frame frame_of(const Framing& framing, std::span<const Step> steps, std::span<const std::string> tokens) {
  return {.question = framing.question,
          .idea = framing.idea,
          .goals = framing.goals,
          .formula = formula_of(steps),
          .map = step_map(steps),
          .seen = seen_in(steps, tokens),
          .next = framing.next};
}

std::vector<std::string> opening_lines(const Frame& frame, std::int64_t width) {
  std::vector<std::string> lines;
  add(lines, text::wrapped(frame.question, width, "", ""));
  if (!frame.idea.empty()) {
    add(lines, text::wrapped(frame.idea, width, "", ""));
  }
  if (!frame.goals.empty()) {
    lines.push_back(std::string(goals_heading) + ":");
    for (const std::string& goal : frame.goals) {
      add(lines, text::wrapped(goal, width, "- ", "  "));
    }
  }
  if (!frame.formula.text.empty()) {
    lines.emplace_back();
    add(lines, text::wrapped(frame.formula.text, width, "  ", "    "));
    for (const std::string& term : frame.formula.terms) {
      add(lines, text::wrapped(term, width, "  ", "    "));
    }
  }
  if (!frame.map.empty()) {
    lines.emplace_back();
    for (const std::string& line : map_lines(frame.map, width - 2)) {
      lines.push_back("  " + line);
    }
  }
  return lines;
}

std::vector<std::string> ending_lines(const Frame& frame, std::int64_t width) {
  std::vector<std::string> lines;
  if (!frame.seen.empty()) {
    lines.emplace_back("Summary:");
    for (const std::string& sentence : frame.seen) {
      add(lines, text::wrapped(sentence, width, "- ", "  "));
    }
  }
  if (!frame.next.empty()) {
    lines.emplace_back("Next steps:");
    for (const std::string& command : frame.next) {
      lines.push_back("  " + command);
    }
  }
  return lines;
}

}  // namespace attn::render
