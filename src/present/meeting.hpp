#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lesson/cell.hpp"
#include "text/styled.hpp"
#include "torch/print_options.hpp"

namespace attn::present {

/// Shows what meets in a cell, one operand's numbers above the other's, with the meeting numbers in reverse: the row
/// and the column of a product, the scores of a row of softmax, a score and its mask. No line exceeds `width` columns
/// unless a number is wider. Empty for given numbers.
std::vector<text::StyledLine> meeting_lines(const render::Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print, std::int64_t width);

}  // namespace attn::present
