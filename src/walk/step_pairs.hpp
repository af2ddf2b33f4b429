#pragma once

#include <span>
#include <vector>

#include "walk/walkthrough.hpp"

/// A walkthrough as it is beside the same changed.
namespace attn {

/// A step of both walkthroughs, or of the one that has it alone; the other is null.
struct StepPair {
  const Step* as_is;
  const Step* changed;
};

/// Both walkthroughs in one order. Steps belong together by section, name, kind, and how many such steps come before.
/// What is given must outlive the pairs.
std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed);

}  // namespace attn
