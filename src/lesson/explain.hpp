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
  std::string name;                      ///< a tensor's name
  std::string expression;                ///< in PyTorch: "queries @ keys_transposed"
  std::string shapes;                    ///< "queries [6, 2] @ keys.T [2, 6] -> [6, 6]"
  std::string why;                       ///< one to three sentences
  std::vector<Reason> reasons;           ///< the reason, shown in numbers
  std::vector<std::string> notices;      ///< observations about these numbers, each checked against them
  std::vector<StepExplanation> through;  ///< of earlier steps that are not shown, such as scaling
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

/// Explains a step. `tokens` are the words for the rows of `inputs`; empty if the rows stand for no words.
StepExplanation explain(const Step& step, const Why& why, std::span<const std::string> tokens);

/// The operation with the shapes of its operands and its result: "W_query(batch [2, 6, 3]) -> [2, 6, 3]".
std::string shape_rail(const Tensor& tensor);

/// Writes the explanation in lines of at most `width` characters that begin with "# ".
void write_explanation(std::ostream& out, const StepExplanation& explanation, std::int64_t width);

/// Writes the output of write_text with each step's explanation below it, in lines that begin with "# ". If a step does
/// not end its line, its explanation follows the line.
void write_explained_text(std::ostream& out, std::span<const Step> steps, const Why& why,
                          std::span<const std::string> tokens, const TextOptions& options);

}  // namespace attn::render
