#pragma once

#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// What the step's own numbers show: each sentence has been checked against them, sums and averages with room for
/// rounding. The words that the rows of `inputs` stand for are `tokens`. Of a size, only what its shape shows.
std::vector<std::string> notices(const Step& step, std::span<const std::string> tokens);

}  // namespace attn::render
