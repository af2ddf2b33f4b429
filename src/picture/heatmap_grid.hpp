#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "picture/marks.hpp"
#include "picture/painter.hpp"
#include "picture/terminal.hpp"
#include "tensor/array.hpp"
#include "tensor/tensor.hpp"
#include "text/styled.hpp"
#include "torch/print_options.hpp"
#include "torch/shown.hpp"

namespace attn::render {

/// The names of an axis's shown items.
class Names {
 public:
  /// Names for a missing axis: one item without a name.
  Names() = default;
  /// The items' words if there are any, else their heads or their indices; cut to this many columns.
  Names(const torch::ShownItems& items, std::vector<std::string> words, bool are_heads, std::int64_t room,
        const Terminal& terminal)
      : items_(items), words_(std::move(words)), are_heads_(are_heads), room_(room), terminal_(terminal) {}

  bool empty() const { return items_.size == 0; }
  std::string at(std::int64_t rank) const;
  /// The display columns of the widest name; 0 if there are no names.
  std::int64_t widest() const;

 private:
  torch::ShownItems items_{0, 0, 0, false};
  std::vector<std::string> words_;
  bool are_heads_ = false;
  std::int64_t room_ = 0;
  Terminal terminal_;
};

/// The shown items of the last two axes and their names. A tensor with fewer axes has one row or one cell.
struct Grid {
  torch::ShownItems rows;
  torch::ShownItems columns;
  Names row_names;
  Names column_names;
};

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
  Scale scale{std::span<const double>()};
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

/// Draws a tensor's matrices line by line, all in the same columns. The arguments must outlive it.
class Drawing {
 public:
  Drawing(const Grid& grid, const CellTexts& cells, const Painter& painter, const Terminal& terminal);

  /// The number of lines of one matrix.
  std::int64_t count() const { return static_cast<std::int64_t>(blocks_.size()) * lines_of_block(); }
  /// One line of the matrix whose first element is at this position of the tensor.
  text::StyledLine line(std::int64_t i, std::int64_t first, const std::optional<GridCell>& chosen) const;
  /// The place of a cell among the matrix's lines.
  CellPlace place(const GridCell& cell) const;

 private:
  /// A block: the columns [begin, end) of the grid that fit side by side.
  struct Block {
    std::int64_t begin;
    std::int64_t end;
  };

  void split(std::int64_t room);
  std::int64_t lines_above() const { return (blocks_.size() > 1 ? 1 : 0) + (grid_.column_names.empty() ? 0 : 1); }
  std::int64_t lines_of_block() const { return lines_above() + grid_.rows.count() + (grid_.rows.cut ? 1 : 0); }
  bool dots_before(const Block& block, std::int64_t column) const;
  std::string title(const Block& block) const;
  text::StyledLine names_line(const Block& block) const;
  text::StyledLine row_line(const Block& block, std::int64_t row, std::int64_t first,
                            const std::optional<GridCell>& chosen) const;
  std::string in_cell(const std::string& text) const;

  const Grid& grid_;
  const CellTexts& cells_;
  const Painter& painter_;
  const Terminal& terminal_;
  std::int64_t label_ = 0;  ///< columns of the row names and the blank after them
  std::int64_t cell_ = 0;   ///< columns of one cell
  std::vector<Block> blocks_;
};

}  // namespace attn::render
