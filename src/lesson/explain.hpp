#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lesson/reasons.hpp"
#include "render/text.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// The explanation of one step. Parts with nothing to say are empty.
struct StepExplanation {
  std::string name;                      ///< of a tensor
  std::string expression;                ///< PyTorch's words: "queries @ keys_transposed"
  std::string shapes;                    ///< "queries [6, 2] @ keys.T [2, 6] -> [6, 6]"
  std::string why;                       ///< one to three sentences
  std::vector<Reason> reasons;           ///< the same, shown in numbers
  std::vector<std::string> notices;      ///< what these very numbers show, each checked against them
  std::vector<StepExplanation> through;  ///< of the steps before it that are not shown: scores are scaled, then weighed
};

/// Returns the reason for a step.
struct StepWords {
  StepWords() = default;
  template <class Text>
  requires std::convertible_to<Text, std::string> StepWords(Text sentences, std::vector<Reason> shown = {})
      : text(std::move(sentences)), reasons(std::move(shown)) {}

  std::string text;  ///< one to three sentences
  std::vector<Reason> reasons;
};
using Why = std::function<StepWords(const Step&)>;

/// The words that the rows of `inputs` stand for are `tokens`; none where they stand for no words.
StepExplanation explain(const Step& step, const Why& why, std::span<const std::string> tokens);

/// The operation with its operands' shapes and the shape that comes out: "W_query(batch [2, 6, 3]) -> [2, 6, 3]".
std::string shape_rail(const Tensor& tensor);

/// The explanation in lines of at most `width` characters that begin with "# ".
void write_explanation(std::ostream& out, const StepExplanation& explanation, std::int64_t width);

/// Writes what write_text writes, and under each step its explanation, in lines that begin with "# ". If a step does
/// not end its line, its explanation follows the line.
void write_explained_text(std::ostream& out, std::span<const Step> steps, const Why& why,
                          std::span<const std::string> tokens, const TextOptions& options);

}  // namespace attn::render
