#pragma once

#include <string_view>
#include <vector>

#include "lesson/printed.hpp"
#include "walk/step_pairs.hpp"

/// Compares the steps of two walkthroughs.
namespace attn::render {

/// For each element, row-major, true if it differs. Both contents have the same shape and dtype; NaN equals NaN.
std::vector<bool> differences(const Contents& a, const Contents& b);

/// Returns true if two tensors have the same shape and numbers; NaN equals NaN.
bool same_numbers(const Tensor& a, const Tensor& b);

/// Describes in prose how two steps of one name compare: "same as before"; empty if they differ.
std::string_view likeness(const Step& as_is, const Step& changed, TextOptions options);

/// Compares the steps of a pair; empty if there is only one.
std::string_view likeness(const StepPair& pair, const TextOptions& options);

}  // namespace attn::render
