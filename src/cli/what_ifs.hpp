#pragma once

#include <vector>

#include "cli/options.hpp"
#include "render/document.hpp"

namespace attn::cli {

/// A chapter with one rule changed.
struct Otherwise {
  const WhatIf* what_if;
  Walkthrough walk;
};

/// The what-if rules of the chapter's program, if the output format shows them and every tensor is small enough to be
/// shown whole; else only --what-if's rule, if it is given. Computes no numbers.
std::vector<Otherwise> what_ifs_of(const Walkthrough& as_is, const Options& options);

/// A writer's view of the changes, with a sentence on the effect of each.
std::vector<render::ShownWhatIf> shown_what_ifs(const Walkthrough& as_is, const Options& options);

}  // namespace attn::cli
