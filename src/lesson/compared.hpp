#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/printed.hpp"
#include "walk/effects.hpp"

/// What a writer says of two walkthroughs, step by step.
namespace attn::render {

/// For each element, row-major, true if it differs. Both contents have the same shape and dtype; NaN equals NaN.
std::vector<bool> differences(const Contents& a, const Contents& b);

/// Returns true if two tensors have the same shape and numbers; NaN equals NaN.
bool same_numbers(const Tensor& a, const Tensor& b);

/// Describes in prose how two steps of one name compare: "same as before"; empty if they differ.
std::string_view likeness(const Step& as_is, const Step& changed, TextOptions options);

/// Compares the steps of a pair; empty if there is only one.
std::string_view likeness(const StepPair& pair, const TextOptions& options);

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

/// Writes the original walkthrough on the left and the changed one on the right, or one below the other if both do not
/// fit into `width` columns. Steps are paired by section and name; a step that only one side has stands alone. In a
/// changed tensor on the right, every number has room before it for a `*`, which marks the numbers that differ. Steps
/// without differences share one line. Lines of prose begin with "# "; the first is `sentence`.
void write_side_by_side(std::ostream& out, std::span<const Step> as_is, std::span<const Step> changed,
                        const std::string& sentence, const TextOptions& options, std::int64_t width);

}  // namespace attn::render
