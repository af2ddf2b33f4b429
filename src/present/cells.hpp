#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "torch/print.hpp"

namespace attn::present {

/// One element as a tensor's text has it.
struct PrintedCell {
  Shape index;
  std::size_t offset;  ///< of its first character, after the padding
  std::size_t size;
};

/// The elements that `text`, printed with these options, shows of a tensor of this shape, in the order of the text.
/// Of a summarised tensor, those at the edges.
std::vector<PrintedCell> printed_cells(std::string_view text, const Shape& shape, const torch::PrintOptions& options);

/// "attn_scores[1, 2]"; a scalar's name has no brackets.
std::string cell_name(const std::string& name, const Shape& index);

}  // namespace attn::present
