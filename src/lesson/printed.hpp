#pragma once

#include <string>
#include <vector>

#include "torch/print.hpp"
#include "walk/walkthrough.hpp"

/// What print writes, and the places of the elements in it.
namespace attn::render {

struct TextOptions {
  torch::PrintOptions print;
  bool show_grad = true;  ///< grad_fn and requires_grad
};

/// What stands before "tensor(": that an nn.Parameter is one.
std::string print_heading(const Tensor& tensor);

/// What stands before the last bracket: grad_fn or requires_grad.
std::vector<std::string> print_suffixes(const Tensor& tensor, const TextOptions& options);

/// What print(tensor) writes, without the final newline.
torch::PrintedTensor printed_tensor(const Tensor& tensor, const TextOptions& options);

/// printed_tensor's text alone.
std::string tensor_text(const Tensor& tensor, const TextOptions& options);

/// What print writes before what a step shows: its label and a space, or nothing.
std::string label_text(const Step& step);

/// What a step shows, without its label; cells where that is a tensor.
torch::PrintedTensor printed_value(const Step& step, const TextOptions& options);

/// printed_value's text alone.
std::string value_text(const Step& step, const TextOptions& options);

/// Hands on value_text in pieces: that of a tensor is never there as a whole.
void write_value(const torch::TextSink& sink, const Step& step, const TextOptions& options);

/// The label and what the step shows, as the article's print call writes them, without the step's end.
torch::PrintedTensor printed_step(const Step& step, const TextOptions& options);

/// printed_step's text alone.
std::string step_text(const Step& step, const TextOptions& options);

}  // namespace attn::render
