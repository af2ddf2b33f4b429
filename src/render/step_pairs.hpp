#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "render/likeness.hpp"
#include "render/text.hpp"
#include "walk/walkthrough.hpp"

/// A walkthrough as it is beside the same with one rule changed.
namespace attn::render {

/// A step of both walkthroughs, or of the one that has it alone; the other is null.
struct StepPair {
  const Step* as_is;
  const Step* changed;
};

/// Both walkthroughs in one order. Steps belong together by section, name and kind.
std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed);

/// How a pair's steps compare, in the words of prose; empty where what they print differs or there is only one.
std::string_view likeness(const StepPair& pair, const TextOptions& options);

}  // namespace attn::render
