#pragma once

#include <string_view>
#include <vector>

#include "lesson/printed.hpp"
#include "walk/step_pairs.hpp"

/// How the steps of two walkthroughs compare.
namespace attn::render {

/// For each element, row-major, whether it differs; both have the same shape and dtype. nan is the same as nan.
std::vector<bool> differences(const Contents& a, const Contents& b);

/// Whether two tensors have the same shape and numbers; nan is the same as nan.
bool same_numbers(const Tensor& a, const Tensor& b);

/// How two steps of one name compare, in the words of prose: "same as before"; empty where they differ.
std::string_view likeness(const Step& as_is, const Step& changed, TextOptions options);

/// The same of a pair; empty where there is only one.
std::string_view likeness(const StepPair& pair, const TextOptions& options);

}  // namespace attn::render
