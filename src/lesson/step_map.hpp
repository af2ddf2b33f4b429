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
  std::size_t step = 0;  ///< the first that the line tells of
  std::string name = {};
  std::string shape = {};                 ///< "[6, 3]"
  std::vector<std::string> sources = {};  ///< names of tensors that have lines before this one
  std::size_t sections = 1;               ///< that have a tensor of this name, made from these
  bool has_other_weights = false;         ///< in those sections
  bool tells_sections = false;            ///< that they have other weights: no source's line tells it
  std::size_t depth = 0;  ///< one more than the deepest source has; without sources, one less than what is made from it
};

/// A chapter's tensors in the program's order, each with what it is made from. Trainable parameters, checks, and what
/// neither is made from another nor makes one are left out; what sections have alike is listed once. Empty for fewer
/// than two tensors.
std::vector<MapLine> step_map(std::span<const Step> steps);

/// "keys [6, 2] from inputs, in 3 sections with other weights", without the name and the shape.
std::string origin_words(const MapLine& line);

/// Lines of at most `width` columns: "keys [6, 2] from inputs", indented by depth.
std::vector<std::string> map_lines(std::span<const MapLine> map, std::int64_t width);

}  // namespace attn::render
