#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "present/screen.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::present {

/// What to present.
struct Presentation {
  /// Computes the chapter's walkthrough.
  std::function<Walkthrough()> walk;
  /// Selects the steps of a walkthrough that are shown.
  std::function<std::vector<Step>(const std::vector<Step>& steps)> select;
  /// The rules that change something in the chapter, and the walkthrough with one of them changed. If this throws, the
  /// message is shown.
  std::function<std::vector<const WhatIf*>()> what_ifs;
  std::function<Walkthrough(const Walkthrough& as_is, const WhatIf& rule)> change;
  std::string seed;                 ///< for the title
  std::vector<std::string> tokens;  ///< words for the rows of `inputs`; may be empty
  render::Why why;
  render::TextOptions text;
  /// The chapter's introduction and ending, and whether they are shown.
  std::function<render::Framing(std::span<const Step> steps)> framing;
  bool is_framed = false;
  bool explains = false;  ///< initially
  bool draws_heatmaps = false;
};

/// Shows one step at a time, chapter after chapter, and obeys the keys until the user quits. Throws NoTerminal, and
/// whatever the walks throw.
void present(std::span<const Presentation> chapters, render::Colours colours);

}  // namespace attn::present
