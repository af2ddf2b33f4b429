#pragma once

#include <functional>
#include <string>
#include <vector>

#include "present/screen.hpp"
#include "render/explain.hpp"
#include "render/text.hpp"
#include "torch/seed.hpp"
#include "walk/walkthrough.hpp"

namespace attn::present {

/// What is presented.
struct Presentation {
  /// The chapter's steps for a seed; what it throws is shown, and the steps before it stay.
  std::function<std::vector<Step>(torch::Seed seed)> walk;
  torch::Seed seed = 123;
  std::vector<std::string> tokens;  ///< the words that the rows of `inputs` stand for; may be empty
  render::Why why;
  render::TextOptions text;
};

/// Shows one step at a time, and does what the keys say, until the user quits. Throws NoTerminal, and what the first
/// walk throws.
void present(const Presentation& presentation);

}  // namespace attn::present
