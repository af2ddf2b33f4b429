#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/formula.hpp"
#include "lesson/step_map.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter's own question and commands; its steps provide the rest of the frame.
struct Framing {
  std::string question;            ///< "How can a model ...?"
  std::string idea;                ///< the answer, and what to look for
  std::vector<std::string> goals;  ///< "say why scores are scaled": what readers can do afterwards
  std::vector<std::string> next;   ///< follow-up commands
};

/// The introduction before a chapter's first step, and the summary after its last.
struct Frame {
  std::string question;
  std::string idea;
  std::vector<std::string> goals;
  Formula formula;
  std::vector<MapLine> map;
  std::vector<std::string> seen;  ///< observations about this run's numbers, each checked against them
  std::vector<std::string> next;
};

/// Builds the frame from all steps of a chapter.
Frame frame_of(const Framing& framing, std::span<const Step> steps, std::span<const std::string> tokens);

/// The heading above a chapter's goals.
inline constexpr std::string_view goals_heading = "After this you can";

/// Lines of at most `width` columns: the question, the idea and the goals, the formula, the map.
std::vector<std::string> opening_lines(const Frame& frame, std::int64_t width);
/// The summary, and the commands to try next.
std::vector<std::string> ending_lines(const Frame& frame, std::int64_t width);

}  // namespace attn::render
