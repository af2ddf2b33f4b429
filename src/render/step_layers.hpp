#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "render/step_graph.hpp"

namespace attn::render {

/// A slot in a layer of a drawn graph: tensors below one another of which each is made from the one above alone, or
/// nothing, where a line passes by.
struct Slot {
  std::vector<std::size_t> nodes;    ///< from top to bottom; none where a line passes
  std::vector<std::size_t> sources;  ///< slots of the layer above
  std::int64_t width = 1;
  std::int64_t left = 0;

  std::int64_t centre() const { return left + width / 2; }
};

/// Places by number, and of each layer the numbers of its slots, from left to right.
struct Layers {
  std::vector<Slot> slots;
  std::vector<std::vector<std::size_t>> order;
};

/// Layers in which what is made from a tensor is below it, ordered so that few lines cross, and set on columns.
/// `widths`: of each node.
Layers layers_of(const StepGraph& graph, const std::vector<std::int64_t>& widths);

}  // namespace attn::render
