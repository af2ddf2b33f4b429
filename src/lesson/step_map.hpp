#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// A tensor of a chapter, and the tensors it is computed from.
struct MapLine {
  std::size_t step = 0;  ///< the line's first step
  std::string name = {};
  std::string shape = {};                 ///< "[6, 3]"
  std::vector<std::string> sources = {};  ///< names of tensors on earlier lines
  std::size_t sections = 1;               ///< number of sections with a tensor of this name from these sources
  bool has_other_weights = false;         ///< the sections use different weights
  bool tells_sections = false;            ///< mention the different weights, because no source's line does
  std::size_t depth = 0;  ///< one more than the deepest source; without sources, one less than the first use
};

/// A chapter's tensors in program order, each with its sources. Trainable parameters, checks, and tensors with neither
/// sources nor uses are left out; tensors that several sections share appear once. Empty for fewer than two tensors.
std::vector<MapLine> step_map(std::span<const Step> steps);

/// "keys [6, 2] from inputs, in 3 sections with other weights", without the name and the shape.
std::string origin_words(const MapLine& line);

/// Lines of at most `width` columns: "keys [6, 2] from inputs", indented by depth.
std::vector<std::string> map_lines(std::span<const MapLine> map, std::int64_t width);

}  // namespace attn::render
