#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/printed.hpp"
#include "walk/step_pairs.hpp"

/// What a writer says of two walkthroughs, step by step.
namespace attn::render {

/// A step that differs, or several in a row that do not.
struct Compared {
  std::string section;
  std::string_view likeness;       ///< "same as before"; empty if the step differs
  std::vector<std::string> names;  ///< of the steps without differences: "keys", "keys.shape"
  StepPair pair;                   ///< the step that differs
};

/// Compares the steps in one order. The arguments must outlive the result.
std::vector<Compared> compared_steps(std::span<const Step> as_is, std::span<const Step> changed,
                                     const TextOptions& options);

/// The changed step as printed, with room for a mark before every number: `*` if the number differs.
std::string marked_text(const Step& as_is, const Step& changed, const TextOptions& options);

}  // namespace attn::render
