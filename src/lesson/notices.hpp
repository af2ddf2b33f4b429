#pragma once

#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// Returns what the step's own numbers show. Each sentence is checked against them, sums and averages up to rounding.
/// `tokens` are the words for the rows of `inputs`. For a size, only its shape is described.
std::vector<std::string> notices(const Step& step, std::span<const std::string> tokens);

}  // namespace attn::render
