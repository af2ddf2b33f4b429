#pragma once

#include <span>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// Returns what the step's own numbers show. Each sentence is checked against them, sums and averages up to rounding.
/// The words that the rows of `inputs` stand for are `tokens`. For a size, only what its shape shows.
std::vector<std::string> notices(const Step& step, std::span<const std::string> tokens);

}  // namespace attn::render
