#include "lesson/frame.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "tensor/operations.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

bool is_drawn(const Step& step) {
  return step.kind == Step::Kind::tensor && !step.tensor->operation().is_parameter() &&
         step.tensor->kind() != Kind::comparison;
}

bool tells_the_same(const MapLine& a, const MapLine& b) {
  return a.name == b.name && a.shape == b.shape && a.sources == b.sources;
}

/// The sections that share a line, and the weights that its first tensor depends on.
struct Merged {
  std::set<std::string> sections;
  std::set<const void*> weights;
};

/// The weights between the tensor and the drawn tensors that it is computed from.
std::set<const void*> weights_of(const Tensor& tensor, const std::unordered_map<const void*, MapLine>& drawn) {
  std::set<const void*> weights;
  for (const Tensor& operand : tensor.operands()) {
    if (operand.operation().is_parameter()) {
      weights.insert(operand.id());
    } else if (!drawn.contains(operand.id())) {
      weights.merge(weights_of(operand, drawn));
    }
  }
  return weights;
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

/// Marks other weights on the lines where they enter; lines below depend on them anyway.
void tell_other_weights(std::vector<MapLine>& map) {
  for (MapLine& line : map) {
    const bool is_told = std::ranges::any_of(map, [&](const MapLine& other) {
      return other.has_other_weights && std::ranges::find(line.sources, other.name) != line.sources.end();
    });
    line.tells_sections = line.has_other_weights && !is_told;
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
  std::vector<Merged> merged;                      // parallel to map
  std::unordered_map<const void*, MapLine> drawn;  // by tensor
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (!is_drawn(steps[step])) {
      continue;
    }
    const Tensor& tensor = *steps[step].tensor;
    MapLine line = {.step = step, .name = steps[step].name, .shape = shape_text(tensor.shape())};
    add_sources(line, tensor, drawn);
    drawn.emplace(tensor.id(), line);
    const auto same = std::ranges::find_if(map, [&](const MapLine& other) { return tells_the_same(other, line); });
    if (same == map.end()) {
      map.push_back(std::move(line));
      merged.push_back({{steps[step].section}, weights_of(tensor, drawn)});
      continue;
    }
    Merged& alike = merged[static_cast<std::size_t>(same - map.begin())];
    alike.sections.insert(steps[step].section);
    same->sections = alike.sections.size();
    same->has_other_weights = same->has_other_weights || weights_of(tensor, drawn) != alike.weights;
  }
  tell_other_weights(map);
  place_beginnings(map);
  return map;
}

std::string origin_words(const MapLine& line) {
  const std::string sources = line.sources.empty() ? "" : " from " + text::joined(line.sources, ", ");
  return sources +
         (line.tells_sections ? ", in " + std::to_string(line.sections) + " sections with other weights" : "");
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

}  // namespace attn::render
