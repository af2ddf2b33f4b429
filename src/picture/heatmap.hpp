#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "picture/marks.hpp"
#include "picture/terminal.hpp"
#include "tensor/tensor.hpp"
#include "text/styled.hpp"
#include "torch/print_options.hpp"

namespace attn::render {

/// A tensor's numbers, as PyTorch prints them, on coloured cells; without colours, each beside a block glyph. No line
/// is wider than the terminal (12 columns or more). Lines are made on demand.
///
/// Rows and columns that count the lesson's tokens carry the tokens' names, others carry indices. The axes before the
/// last two become headings. One scale serves the whole tensor: from the smallest to the largest finite number shown,
/// or symmetric around 0 if the numbers have both signs. Numbers that are not finite stay plain. Tensors of more than
/// print.threshold elements are summarised as in PyTorch, with at least one item at either end of an axis. If a number
/// is wider than the terminal, all numbers lose decimals.
class HeatMap {
 public:
  HeatMap(const Tensor& tensor, std::span<const std::string> tokens, const torch::PrintOptions& print,
          const Terminal& terminal);
  /// Shows `changed` minus `as_is`, which have the same shape: colours are symmetric around 0, and cells that do not
  /// differ stay plain.
  HeatMap(const Tensor& as_is, const Tensor& changed, std::span<const std::string> tokens,
          const torch::PrintOptions& print, const Terminal& terminal);

  /// The print options that decide which cells are shown: at least one item at either end of an axis.
  static torch::PrintOptions with_edges(torch::PrintOptions print);

  /// The number of lines.
  std::int64_t count() const;
  /// A line, with the chosen cell in reverse.
  text::StyledLine line(std::int64_t i, const std::optional<GridCell>& chosen = {}) const;
  /// The place of a shown cell.
  CellPlace place(const GridCell& cell) const;
  /// The largest number of display columns that a line may have.
  std::int64_t columns() const { return columns_; }

 private:
  class Lines;
  struct Numbers;

  void make(const Tensor& tensor, const Numbers& numbers, std::span<const std::string> tokens,
            const torch::PrintOptions& print, Terminal terminal);

  std::shared_ptr<const Lines> lines_;  ///< null for a tensor without numbers
  std::int64_t columns_;
  std::string empty_;  ///< the text shown for a tensor without numbers
};

/// Writes the lines with escape codes, each followed by a newline.
void write_heatmap(std::ostream& out, const HeatMap& map);

}  // namespace attn::render
