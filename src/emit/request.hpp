#pragma once

#include <string>
#include <vector>

#include "torch/print_options.hpp"
#include "walk/walkthrough.hpp"

namespace attn::emit {

/// A chapter to write a program for.
struct Chapter {
  std::string name;     ///< "causal"
  std::string title;    ///< "causal: a causal mask: no token sees a later one"
  std::string article;  ///< the title of its article: "Attention"
  Walkthrough walk;
  std::vector<Step> shown;           ///< the steps that the program prints, in order
  std::vector<std::string> printed;  ///< the output of each shown step, for a notebook
};

/// The contents of a program.
struct Request {
  std::vector<Chapter> chapters;  ///< at least one
  torch::PrintOptions print;
  bool show_grad = true;                     ///< grad_fn and requires_grad
  std::vector<std::string> checkpoint = {};  ///< the .safetensors files from which the program reads its weights
};

}  // namespace attn::emit
