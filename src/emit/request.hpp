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
  std::string article;  ///< whose program it follows: "Attention"
  Walkthrough walk;
  std::vector<Step> shown;           ///< those that the program prints, in order
  std::vector<std::string> printed;  ///< what each of them prints; only a notebook shows it
};

/// What a program is to print.
struct Request {
  std::vector<Chapter> chapters;  ///< one at least
  torch::PrintOptions print;
  bool show_grad = true;  ///< grad_fn and requires_grad
};

}  // namespace attn::emit
