#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lesson/cell.hpp"
#include "torch/print.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// How a number came about, as lines of text: depth 1 derives the number alone, 2 its operands too, each below what it
/// makes, and so on. Views and copies cost no depth, and no line; what a zero takes
/// away is not followed. 0 derives the number, and shows which tensors it goes back
/// to. Throws CellError as find_cell does.
std::string derivation_text(std::span<const Step> steps, const CellRequest& request, std::int64_t depth,
                            std::span<const std::string> tokens, const torch::PrintOptions& print);
/// The same of a cell that there is.
std::string derivation_text(const Cell& cell, std::int64_t depth, std::span<const std::string> tokens,
                            const torch::PrintOptions& print);

}  // namespace attn::render
