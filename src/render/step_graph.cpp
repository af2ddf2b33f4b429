#include "render/step_graph.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::render {
namespace {

bool is_drawn(const Step& step) {
  return step.kind == Step::Kind::tensor && !step.tensor->operation().is_parameter() &&
         step.tensor->kind() != Kind::comparison;
}

class GraphMaker {
 public:
  explicit GraphMaker(std::span<const Step> steps) : steps_(steps) {
    for (std::size_t step = 0; step < steps.size(); ++step) {
      if (is_drawn(steps[step])) {
        add(step);
      }
    }
  }

  StepGraph graph;

 private:
  /// A name that comes up again in a later section is the same node, unless it is made from what came after that. Of a
  /// mask that is told by what is made with it.
  void add(std::size_t number) {
    const Step& step = steps_[number];
    std::set<std::size_t> sources;
    std::unordered_set<const void*> seen;
    find_sources(*step.tensor, step.name, sources, seen);
    const auto found = by_name_.find(step.name);
    const bool is_known = found != by_name_.end() && (sources.empty() || *sources.rbegin() <= found->second);
    if (is_known && sources.empty() && step.tensor->dtype() == DType::boolean && !by_id_.contains(step.tensor->id())) {
      masks_.emplace(step.tensor->id(), number);
      return;
    }
    join(is_known ? found->second : new_node(number), number, std::move(sources));
  }

  std::size_t new_node(std::size_t number) {
    const Step& step = steps_[number];
    const std::size_t at = graph.nodes.size();
    by_name_.insert_or_assign(step.name, at);
    graph.nodes.push_back({step.name, shape_text(step.tensor->shape()), number, {}});
    return at;
  }

  void join(std::size_t at, std::size_t number, std::set<std::size_t> sources) {
    const Step& step = steps_[number];
    StepGraph::Node& node = graph.nodes[at];
    if (node.shape != shape_text(step.tensor->shape())) {
      node.shape.clear();
    }
    by_id_.emplace(step.tensor->id(), at);
    sources.erase(at);
    sources.insert(node.sources.begin(), node.sources.end());
    node.sources.assign(sources.begin(), sources.end());
  }

  /// The mask that another step called `user` is made with; where there is none, a new one.
  std::size_t mask_of(const std::string& user, std::size_t number) {
    for (const StepGraph::Node& node : graph.nodes) {
      for (const std::size_t source : node.sources) {
        if (node.name == user && graph.nodes[source].name == steps_[number].name) {
          return source;
        }
      }
    }
    return new_node(number);
  }

  /// The nearest drawn tensors, through what is not drawn.
  void find_sources(const Tensor& tensor, const std::string& user, std::set<std::size_t>& sources,
                    std::unordered_set<const void*>& seen) {
    for (const Tensor& operand : tensor.operands()) {
      if (!seen.insert(operand.id()).second) {
        continue;
      }
      if (const auto mask = masks_.find(operand.id()); mask != masks_.end()) {
        join(mask_of(user, mask->second), mask->second, {});
        masks_.erase(mask);
      }
      const auto found = by_id_.find(operand.id());
      if (found == by_id_.end()) {
        find_sources(operand, user, sources, seen);
      } else {
        sources.insert(found->second);
      }
    }
  }

  std::span<const Step> steps_;
  std::unordered_map<std::string, std::size_t> by_name_;  ///< the last node of that name
  std::unordered_map<const void*, std::size_t> by_id_;
  std::unordered_map<const void*, std::size_t> masks_;  ///< steps of a name that has a node, before they are used
};

}  // namespace

StepGraph StepGraph::without(std::size_t node) const {
  StepGraph rest = *this;
  rest.nodes.erase(rest.nodes.begin() + static_cast<std::ptrdiff_t>(node));
  for (Node& other : rest.nodes) {
    for (std::size_t& source : other.sources) {
      source -= source > node ? 1 : 0;
    }
  }
  return rest;
}

StepGraph StepGraph::without_lone_ones() const {
  StepGraph rest = *this;
  for (std::size_t node = nodes.size(); node-- > 0;) {
    const bool is_used = std::any_of(rest.nodes.begin(), rest.nodes.end(), [node](const Node& other) {
      return std::find(other.sources.begin(), other.sources.end(), node) != other.sources.end();
    });
    if (rest.nodes[node].sources.empty() && !is_used) {
      rest = rest.without(node);
    }
  }
  return rest;
}

StepGraph step_graph(std::span<const Step> steps) { return GraphMaker(steps).graph.without_lone_ones(); }

}  // namespace attn::render
