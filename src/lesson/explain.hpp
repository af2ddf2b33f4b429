#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <set>

#include "lesson/printed.hpp"
#include "tensor/operations.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// The reason for a step, shown in numbers.
struct Reason {
  std::string text;
  /// The first row names the columns, the first column the rows; may be empty.
  std::vector<std::vector<std::string>> table;
};

/// The table's lines, columns two spaces apart.
std::vector<std::string> table_lines(const Reason& reason);

/// Assigns reasons to a chapter's steps: each is shown once, at the first step that it fits.
class Reasons {
 public:
  /// Evaluates no tensor. The steps of another seed have the same places.
  explicit Reasons(std::span<const Step> steps);

  std::vector<Reason> of(const Step& step, std::span<const std::string> tokens) const;

 private:
  struct Row {
    bool (*fits)(const Tensor& tensor);  ///< asked of each step's tensor: a changed rule may alter it
    std::vector<Reason> (*show)(const Tensor& tensor, std::span<const std::string> tokens);
  };
  static const Row rows[];
  std::map<std::string, const Row*> by_step_;  ///< by full name
};

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

/// Returns what the step's own numbers show. Each sentence is checked against them, sums and averages up to rounding.
/// `tokens` are the words for the rows of `inputs`. For a size, only its shape is described.
std::vector<std::string> notices(const Step& step, std::span<const std::string> tokens);

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

/// Returns true if the axis counts the lesson's tokens: the rows of the tensor named `inputs`, or of their `ids`.
bool counts_tokens(const Tensor& tensor, std::size_t axis);

/// Marks the axes, outermost first, that have one item for each of `count` tokens.
std::vector<bool> token_axes(const Tensor& tensor, std::size_t count);

/// Returns true if the axis counts heads: a view split the last axis into it and head_dim.
bool counts_heads(const Tensor& tensor, std::size_t axis);

/// "head 1" for the first item of an axis that counts heads.
std::string head_name(std::int64_t item);

/// Returns true for a transposition of the last two axes.
bool swaps_last(const Tensor& tensor);

/// Returns true if the tensor or any tensor it depends on has one of these kinds.
bool is_made_with(const Tensor& tensor, const std::set<Kind>& kinds);

/// The row of `inputs` that a vector was computed from; the query's row if several meet.
std::optional<std::int64_t> token_of(const Tensor& vector);

}  // namespace attn::render
