#pragma once

#include <span>
#include <string>
#include <vector>

#include "lesson/cell.hpp"
#include "torch/print_options.hpp"

namespace attn::render {

/// Hints for computing a number, each a list of lines: first the operands; then, for a sum of products or a softmax,
/// the terms to add. Empty for given numbers.
std::vector<std::vector<std::string>> hints(const Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print);

}  // namespace attn::render
