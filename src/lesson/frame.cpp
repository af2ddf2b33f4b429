#include "lesson/frame.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "lesson/explain.hpp"
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

std::vector<std::string> seen_in(std::span<const Step> steps, std::span<const std::string> tokens) {
  std::vector<std::string> seen;
  const Step* const result = result_of(steps);
  if (result == nullptr) {
    return seen;
  }
  if (const auto inputs = std::ranges::find(steps, "inputs", &Step::name);
      inputs != steps.end() && inputs->tensor && &*inputs != result) {
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

// ---- The map ---------------------------------------------------------------------------------------

bool is_drawn(const Step& step) {
  return step.kind == Step::Kind::tensor && !step.tensor->operation().is_parameter() &&
         step.tensor->kind() != Kind::comparison;
}

bool tells_the_same(const MapLine& a, const MapLine& b) {
  return a.name == b.name && a.shape == b.shape && a.sources == b.sources;
}

/// Adds the nearest drawn tensors that the tensor is computed from, looking through those that are not drawn.
void add_sources(MapLine& line, const Tensor& tensor, const std::unordered_map<const void*, MapLine>& drawn) {
  for (const Tensor& operand : tensor.operands()) {
    const auto found = drawn.find(operand.id());
    if (found == drawn.end()) {
      add_sources(line, operand, drawn);
    } else if (std::ranges::find(line.sources, found->second.name) == line.sources.end()) {
      line.sources.push_back(found->second.name);
      line.depth = std::max(line.depth, found->second.depth + 1);
    }
  }
}

/// Moves a tensor without sources just above its first use, and drops it if it has no use.
void place_beginnings(std::vector<MapLine>& map) {
  for (std::size_t i = map.size(); i-- > 0;) {
    const auto line = map.begin() + static_cast<std::ptrdiff_t>(i);
    const auto first_use = std::find_if(line, map.end(), [&](const MapLine& other) {
      return std::ranges::find(other.sources, line->name) != other.sources.end();
    });
    if (line->sources.empty() && first_use == map.end()) {
      map.erase(line);
    } else if (line->sources.empty()) {
      line->depth = first_use->depth - 1;
    }
  }
}

}  // namespace

std::vector<MapLine> step_map(std::span<const Step> steps) {
  std::vector<MapLine> map;
  std::unordered_map<const void*, MapLine> drawn;  // by tensor
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (!is_drawn(steps[step])) {
      continue;
    }
    const Tensor& tensor = *steps[step].tensor;
    MapLine line = {.step = step, .name = steps[step].name, .shape = shape_text(tensor.shape())};
    add_sources(line, tensor, drawn);
    drawn.emplace(tensor.id(), line);
    if (std::ranges::none_of(map, [&](const MapLine& other) { return tells_the_same(other, line); })) {
      map.push_back(std::move(line));
    }
  }
  place_beginnings(map);
  return map;
}

std::string origin_words(const MapLine& line) {
  return line.sources.empty() ? "" : " from " + text::joined(line.sources, ", ");
}

std::vector<std::string> map_lines(std::span<const MapLine> map, std::int64_t width) {
  std::vector<std::string> lines;
  for (const MapLine& line : map) {
    const auto depth = std::min(static_cast<std::int64_t>(line.depth), width / 6);  // leaves room for words
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    const std::string words = line.name + " " + line.shape + origin_words(line);
    const std::vector<std::string> wrapped = text::wrapped(words, width, indent, indent + "  ");
    lines.insert(lines.end(), wrapped.begin(), wrapped.end());
  }
  return lines;
}

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
