#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lesson/cell.hpp"
#include "torch/print.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// Derives a number as lines of text. Depth 1 derives the number alone, 2 also its operands, each below the number that
/// uses it, and so on. Views and copies cost neither depth nor a line; operands multiplied by zero are not followed.
/// Depth 0 derives the number and shows the tensors that it goes back to. Throws CellError as find_cell does.
std::string derivation_text(std::span<const Step> steps, const CellRequest& request, std::int64_t depth,
                            std::span<const std::string> tokens, const torch::PrintOptions& print);
/// Derives an existing cell.
std::string derivation_text(const Cell& cell, std::int64_t depth, std::span<const std::string> tokens,
                            const torch::PrintOptions& print);

/// The tensors that a number depends on, back to the given ones: one per line, with the part that the number needs, its
/// operands indented below. At most a screenful of lines.
std::string origin_text(const Cell& cell, std::span<const std::string> tokens);

/// Hints for computing a number, each a list of lines: first the operands; then, for a sum of products or a softmax,
/// the terms to add. Empty for given numbers.
std::vector<std::vector<std::string>> hints(const Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print);

}  // namespace attn::render
