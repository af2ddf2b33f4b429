#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lesson/cell.hpp"
#include "text/styled.hpp"
#include "torch/print_options.hpp"

namespace attn::present {

/// What meets in a cell, one operand's numbers above the other's, those that meet in reverse: the row and the column of
/// a product, the scores of a row of softmax, a score and its mask. No line takes more than `width` columns where
/// numbers are not wider. Nothing for what is given.
std::vector<text::StyledLine> meeting_lines(const render::Cell& cell, std::span<const std::string> tokens,
                                            const torch::PrintOptions& print, std::int64_t width);

}  // namespace attn::present
