#pragma once

#include <vector>

#include "cli/options.hpp"
#include "render/document.hpp"

namespace attn::cli {

/// A chapter with one line of its program written otherwise.
struct Otherwise {
  const WhatIf* what_if;
  Walkthrough walk;
};

/// All lines that the chapter's program has and that may be written otherwise, where the form of output shows them and
/// every tensor is small enough to be shown whole; else none. Asks no tensor for its numbers.
std::vector<Otherwise> what_ifs_of(const Walkthrough& as_is, const Options& options);

/// The same as a writer gets them, with what each change did.
std::vector<render::ShownWhatIf> shown_what_ifs(const Walkthrough& as_is, const Options& options);

}  // namespace attn::cli
