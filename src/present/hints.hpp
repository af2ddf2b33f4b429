#pragma once

#include <span>
#include <string>
#include <vector>

#include "lesson/cell.hpp"
#include "torch/print_options.hpp"

namespace attn::present {

/// What helps somebody to compute a number, each hint its lines: the numbers that it is made of, then, of a sum of
/// products and of a softmax, what is added. None of what is given.
std::vector<std::vector<std::string>> hints(const render::Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print);

}  // namespace attn::present
