#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/terminal.hpp"
#include "tensor/tensor.hpp"
#include "text/styled.hpp"
#include "torch/print_options.hpp"

namespace attn::render {

/// A tensor's numbers, as PyTorch prints them, on coloured cells; without colours each beside a block glyph. No
/// line is wider than the terminal (of 12 columns or more).
///
/// Rows and columns that count the lesson's tokens have their names, others indices. The axes before the last two
/// become headings. One scale serves the whole tensor: from the smallest to the largest finite number shown, or for
/// numbers of both signs, symmetric around 0. What is not finite stays plain. Tensors of more than print.threshold
/// elements are summarised as PyTorch does, with one item at least at either end of an axis; where a number is wider
/// than the terminal, all have fewer decimals.
std::vector<text::StyledLine> heatmap(const Tensor& tensor, std::span<const std::string> tokens,
                                      const torch::PrintOptions& print, const Terminal& terminal);

/// The same with escape codes; no final newline.
std::string heatmap_text(const Tensor& tensor, std::span<const std::string> tokens, const torch::PrintOptions& print,
                         const Terminal& terminal);

}  // namespace attn::render
