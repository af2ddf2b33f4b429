#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// The tensors that a chapter goes through, each name once wherever it can be, and what is made from what. Trainable
/// parameters, checks, and what neither is made from another nor makes one are left out.
struct StepGraph {
  struct Node {
    std::string name;
    std::string shape;                 ///< "[6, 3]"; empty where steps of that name have several
    std::size_t step = 0;              ///< the first of that name
    std::vector<std::size_t> sources;  ///< of nodes before it
  };

  std::vector<Node> nodes;  ///< what is made from a node comes after it

  /// Without a node that nothing is made from.
  StepGraph without(std::size_t node) const;
  /// Without nodes that neither are made from another nor make one.
  StepGraph without_lone_ones() const;
};

StepGraph step_graph(std::span<const Step> steps);

}  // namespace attn::render
