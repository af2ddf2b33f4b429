#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter's steps and what is made from what, laid out from top to bottom on a grid of characters.
struct StepMap {
  struct Label {
    std::size_t step = 0;  ///< the first step of that name
    std::string text;      ///< "keys [6, 2]"
    std::int64_t row = 0;
    std::int64_t column = 0;
    bool follows = false;  ///< made from the label above it alone, which nothing else is made from
  };
  /// From one cell straight to another, down or to the right, both included. A line ends on the labels that it joins.
  struct Segment {
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::int64_t last_row = 0;
    std::int64_t last_column = 0;
  };
  /// The lines from one tensor to those that are made from it.
  using Net = std::vector<Segment>;

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Label> labels;
  std::vector<Net> nets;
};

/// At most `columns` wide: where that is too little, without shapes, then without what leads nowhere. Of a chapter with
/// one tensor or none, nothing.
StepMap step_map(std::span<const Step> steps, std::int64_t columns);

/// The map drawn in box-drawing characters or, without Unicode, in |, - and +. No line ends in a space.
std::vector<std::string> map_lines(const StepMap& map, bool unicode);

}  // namespace attn::render
