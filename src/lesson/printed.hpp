#pragma once

#include <string>

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

}  // namespace attn::render
