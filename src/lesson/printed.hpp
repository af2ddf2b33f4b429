#pragma once

#include <iosfwd>
#include <string_view>

#include "torch/print.hpp"
#include "walk/walkthrough.hpp"

/// The output of print, and the places of the elements in it.
namespace attn::render {

struct TextOptions {
  torch::PrintOptions print;
  bool show_grad = true;  ///< grad_fn and requires_grad
};

/// The output of print(tensor), without the final newline.
std::string tensor_text(const Tensor& tensor, const TextOptions& options);

/// The text that print writes before the step's value: its label and a space, or nothing.
std::string label_text(const Step& step);

/// A step's output without its label.
std::string value_text(const Step& step, const TextOptions& options);

/// Passes value_text on in pieces; a tensor's text is never held as a whole.
void write_value(const torch::TextSink& sink, const Step& step, const TextOptions& options);

/// The label and the value as the article's print call writes them, without the step's end.
std::string step_text(const Step& step, const TextOptions& options);

/// The same with the places of a tensor's numbers.
torch::PrintedTensor printed_step(const Step& step, const TextOptions& options);

/// Writes every step as the article's print calls do.
void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options);

/// For each element, row-major, true if it differs. Both contents have the same shape and dtype; NaN equals NaN.
std::vector<bool> differences(const Contents& a, const Contents& b);

/// Returns true if two tensors have the same shape and numbers; NaN equals NaN.
bool same_numbers(const Tensor& a, const Tensor& b);

/// Describes in prose how two steps of one name compare: "same as before"; empty if they differ.
std::string_view likeness(const Step& as_is, const Step& changed, TextOptions options);

/// Compares the steps of a pair; empty if there is only one.
std::string_view likeness(const StepPair& pair, const TextOptions& options);

/// A step that differs, or several in a row that do not.
struct Compared {
  std::string section;
  std::string_view likeness;       ///< "same as before"; empty if the step differs
  std::vector<std::string> names;  ///< of the steps without differences: "keys", "keys.shape"
  StepPair pair;                   ///< the step that differs
};

/// Compares the steps in one order. The arguments must outlive the result.
std::vector<Compared> compared_steps(std::span<const Step> as_is, std::span<const Step> changed,
                                     const TextOptions& options);

/// The changed step as printed, with room for a mark before every number: `*` if the number differs.
std::string marked_text(const Step& as_is, const Step& changed, const TextOptions& options);

/// Writes the steps that differ, original and changed one below the other, with marked_text. Steps are paired by
/// section and name; of a step that only one side has, the other says so. Steps without differences share one line.
/// Lines of prose begin with "# "; the first is `sentence`.
void write_compared(std::ostream& out, std::span<const Step> as_is, std::span<const Step> changed,
                    const std::string& sentence, const TextOptions& options);

}  // namespace attn::render
