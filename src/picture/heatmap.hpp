#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "picture/heatmap_grid.hpp"
#include "picture/painter.hpp"
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
  std::int64_t count() const { return matrices_end_ + std::ssize(end_); }
  /// A line, with the chosen cell in reverse.
  text::StyledLine line(std::int64_t i, std::optional<GridCell> chosen = {}) const;
  /// The place of a shown cell.
  CellPlace place(const GridCell& cell) const;
  /// The largest number of display columns that a line may have.
  std::int64_t columns() const { return terminal_.width; }

 private:
  /// The lines from `begin` on: the shown matrix number `rank`, whose first element is at position `first`, or, if
  /// `first` is negative, the dots before it.
  struct Part {
    std::int64_t begin;
    std::int64_t first;
    std::int64_t rank;
  };
  /// The columns [begin, end) of the grid that fit side by side.
  struct Block {
    std::int64_t begin;
    std::int64_t end;
  };

  HeatMap(const Tensor& tensor, std::shared_ptr<const Contents> numbers, Painter::Of of,
          std::span<const std::string> tokens, const torch::PrintOptions& print, const Terminal& terminal);

  void split_columns();
  void add_parts();
  void add_legend(Painter::Of of);

  std::int64_t heading_lines() const { return axes_.size() > 2 ? 1 : 0; }
  std::int64_t lines_above() const { return (blocks_.size() > 1 ? 1 : 0) + (grid_.column_names.empty() ? 0 : 1); }
  std::int64_t lines_of_block() const { return lines_above() + grid_.rows.count() + (grid_.rows.cut ? 1 : 0); }
  bool dots_before(const Block& block, std::int64_t column) const;
  std::string title(const Block& block) const;
  std::string in_cell(const std::string& text) const;
  text::StyledLine names_line(const Block& block) const;
  text::StyledLine row_line(const Block& block, std::int64_t row, const Part& part,
                            const std::optional<GridCell>& chosen) const;

  Terminal terminal_;
  Axes axes_;
  Grid grid_;
  Extremes extremes_;
  Painter painter_;
  CellTexts cells_;
  std::function<std::string(std::int64_t)> heading_;
  std::int64_t label_;     ///< columns of the row names and the blank after them
  std::int64_t cell_ = 0;  ///< columns of one cell
  std::vector<Block> blocks_;
  std::vector<Part> parts_;
  std::int64_t matrices_end_ = 0;
  std::vector<text::StyledLine> end_;  ///< the legend, or the text of a tensor without numbers
};

/// Writes the lines with escape codes, each followed by a newline.
void write_heatmap(std::ostream& out, const HeatMap& map);

}  // namespace attn::render
