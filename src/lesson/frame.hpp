#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter's computation in one line, with the names of its own tensors.
struct Formula {
  std::string text;                ///< "context_vecs = softmax(queries @ keys.T / sqrt(d_k)) @ values"
  std::vector<std::string> terms;  ///< definitions of its symbols: "d_k: the dimension of the keys, 2"
};

/// The result of a chapter: the last tensor computed from attention weights, for all tokens if there is one; null if
/// there is none.
const Step* result_of(std::span<const Step> steps);

/// The formula of the result, down to tensors that do not depend on attention weights or scores. Empty if there is no
/// result.
Formula formula_of(std::span<const Step> steps);

/// A tensor of a chapter, and the tensors it is computed from.
struct MapLine {
  std::size_t step = 0;  ///< the line's first step
  std::string name = {};
  std::string shape = {};                 ///< "[6, 3]"
  std::vector<std::string> sources = {};  ///< names of tensors on earlier lines
  std::size_t depth = 0;  ///< one more than the deepest source; without sources, one less than the first use
};

/// A chapter's tensors in program order, each with its sources. Trainable parameters, checks, and tensors with neither
/// sources nor uses are left out; tensors that several sections share appear once. Empty for fewer than two tensors.
std::vector<MapLine> step_map(std::span<const Step> steps);

/// "keys [6, 2] from inputs", without the name and the shape.
std::string origin_words(const MapLine& line);

/// Lines of at most `width` columns: "keys [6, 2] from inputs", indented by depth.
std::vector<std::string> map_lines(std::span<const MapLine> map, std::int64_t width);

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
