#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "render/formula.hpp"
#include "render/step_map.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// What a chapter says of itself; all else that stands around its steps is read off these.
struct Framing {
  std::string question;           ///< "How can a model ...?"
  std::vector<std::string> next;  ///< commands that go on from here
};

/// What stands before a chapter's first step, and after its last.
struct Frame {
  std::string question;
  Formula formula;
  StepMap map;
  std::vector<std::string> seen;  ///< in this run's numbers, each sentence checked against them
  std::vector<std::string> next;
};

/// How far a map stands in.
constexpr std::int64_t map_indent = 2;

/// `steps`: all of a chapter. The map takes at most `columns`.
Frame frame_of(const Framing& framing, std::span<const Step> steps, std::span<const std::string> tokens,
               std::int64_t columns);

/// Lines of at most `width` columns, the map's as they are: the question, the formula, the map.
std::vector<std::string> opening_lines(const Frame& frame, std::int64_t width, bool unicode);
/// What was seen, and the commands that go on.
std::vector<std::string> ending_lines(const Frame& frame, std::int64_t width);

}  // namespace attn::render
