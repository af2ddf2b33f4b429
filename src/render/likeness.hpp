#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "render/text.hpp"

/// How the steps of two walkthroughs compare.
namespace attn::render {

/// For each element, row-major, whether it differs; both have the same shape and dtype. nan is the same as nan.
std::vector<bool> differences(const Contents& a, const Contents& b);

/// Whether two tensors have the same shape and numbers; nan is the same as nan.
bool same_numbers(const Tensor& a, const Tensor& b);

/// How two steps of one name compare, in the words of prose: "same as before"; empty where they differ.
std::string_view likeness(const Step& as_is, const Step& changed, TextOptions options);

/// Section, name, kind, and how many such steps come before.
using StepKey = std::tuple<std::string, std::string, Step::Kind, int>;

/// What tells each step of a walkthrough from its others, and finds it in another walkthrough.
std::vector<StepKey> step_keys(std::span<const Step> steps);

}  // namespace attn::render
