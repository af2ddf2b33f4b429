#pragma once

#include <iosfwd>

#include "picture/painter.hpp"
#include "picture/terminal.hpp"
#include "tensor/tensor.hpp"
#include "text/styled.hpp"
#include "torch/shown.hpp"

namespace attn::render {

/// A shown cell: its row among the shown rows of all matrices in order, and its number within the row.
struct GridCell {
  std::int64_t row = 0;
  std::int64_t column = 0;

  friend bool operator==(const GridCell&, const GridCell&) = default;
};

/// The place of a cell among lines.
struct CellPlace {
  std::int64_t line;
  std::int64_t column;  ///< display column
  std::int64_t width;   ///< in display columns
};

/// The shown items of the last two axes and their names. A tensor with fewer axes has one row or one cell.
struct Grid {
  torch::ShownItems rows;
  torch::ShownItems columns;
  std::vector<std::string> row_names;  ///< of the shown items; empty if the axis is missing
  std::vector<std::string> column_names;
};

/// The display columns of the widest name; 0 if there are no names.
std::int64_t widest(const std::vector<std::string>& names);

using Axes = std::vector<torch::ShownItems>;

/// Names for an axis: tokens if it counts the lesson's tokens, heads if it counts heads, else indices.
Grid grid_of(const Tensor& tensor, const Axes& axes, std::span<const std::string> tokens, const Terminal& terminal);

/// The position of the first element of each matrix along the axes before the last two; -1 stands for matrices left out
/// between two shown ones.
std::vector<std::int64_t> matrices_of(const Axes& axes);

/// The heading of the matrix whose first element is at this position: "[0, 1] head 2".
std::function<std::string(std::int64_t)> matrix_headings(const Tensor& tensor);

/// The places of the smallest and the largest finite number shown; the first one if there are several.
struct Extremes {
  Scale scale;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

Extremes extremes_of(const Contents& contents, const Axes& axes);

/// A tensor's numbers, each as text that fits into a given number of columns.
class CellTexts {
 public:
  CellTexts(std::shared_ptr<const Contents> contents, torch::PrintOptions print, std::int64_t room,
            const Terminal& terminal);

  /// The display columns of the widest shown number.
  std::int64_t widest() const { return widest_; }
  double value(std::int64_t position) const;
  std::string text(std::int64_t position) const;

 private:
  std::shared_ptr<const Contents> contents_;
  std::function<std::string(std::int64_t)> print_;
  std::int64_t room_;
  std::int64_t widest_;
  Terminal terminal_;
};

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

  HeatMap(const Tensor& tensor, const std::shared_ptr<const Contents>& numbers, std::span<const std::string> tokens,
          const torch::PrintOptions& print, const Terminal& terminal);

  void split_columns();
  void add_parts();
  void add_legend(bool are_booleans);

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
