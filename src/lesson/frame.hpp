#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lesson/formula.hpp"
#include "lesson/step_map.hpp"
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
  std::vector<MapLine> map;
  std::vector<std::string> seen;  ///< in this run's numbers, each sentence checked against them
  std::vector<std::string> next;
};

/// `steps`: all of a chapter.
Frame frame_of(const Framing& framing, std::span<const Step> steps, std::span<const std::string> tokens);

/// Lines of at most `width` columns: the question, the formula, the map.
std::vector<std::string> opening_lines(const Frame& frame, std::int64_t width);
/// What was seen, and the commands that go on.
std::vector<std::string> ending_lines(const Frame& frame, std::int64_t width);

}  // namespace attn::render
