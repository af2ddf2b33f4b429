#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "present/screen.hpp"
#include "torch/seed.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::present {

/// What is presented.
struct Presentation {
  /// The chapter's walkthrough for a seed; what it throws is shown, and the steps before it stay.
  std::function<Walkthrough(torch::Seed seed)> walk;
  /// Those of a walkthrough's steps that are shown.
  std::function<std::vector<Step>(const std::vector<Step>& steps)> select;
  /// The rules that change something in the chapter, and a walkthrough with one of them changed.
  std::function<std::vector<const WhatIf*>()> what_ifs;
  std::function<Walkthrough(const Walkthrough& as_is, torch::Seed seed, const WhatIf& rule)> change;
  torch::Seed seed = 123;
  std::vector<std::string> tokens;  ///< the words that the rows of `inputs` stand for; may be empty
  render::Why why;
  render::TextOptions text;
  /// What the chapter says of itself before its first step and after its last, and whether it does.
  std::function<render::Framing(std::span<const Step> steps)> framing;
  bool is_framed = false;
  bool explains = false;  ///< from the beginning
  bool draws_heatmaps = false;
  std::optional<double> seconds;  ///< after which the presenter goes on by itself
};

/// Shows one step at a time, of one chapter after the other, and does what the keys say, until the user quits. Throws
/// NoTerminal, and what the walks throw.
void present(std::span<const Presentation> chapters, render::Colours colours);

}  // namespace attn::present
