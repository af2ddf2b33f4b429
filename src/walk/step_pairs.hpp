#pragma once

#include <span>
#include <vector>

#include "walk/walkthrough.hpp"

/// Pairs the steps of a walkthrough with those of the changed one.
namespace attn {

/// A step of both walkthroughs; one pointer is null if only the other has it.
struct StepPair {
  const Step* as_is;
  const Step* changed;
};

/// The steps of both walkthroughs in one order. Steps are paired by section, name, kind, and number of such steps
/// before. The arguments must outlive the pairs.
std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed);

}  // namespace attn
