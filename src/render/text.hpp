#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "torch/print.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

struct TextOptions {
  torch::PrintOptions print;
  bool show_grad = true;  ///< grad_fn and requires_grad
};

/// What print(tensor) writes, without the final newline.
std::string tensor_text(const Tensor& tensor, const TextOptions& options);

/// Every step as the article's print calls write it.
void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options);

}  // namespace attn::render
