#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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

/// What the shown items of an axis are called.
class Names {
 public:
  /// Of no axis: one item without a name.
  Names() = default;
  /// Their indices or, where there are words, the word of each item, or each one's head; cut to so many columns.
  Names(const torch::ShownItems& items, std::vector<std::string> words, bool are_heads, std::int64_t room,
        const Terminal& terminal)
      : items_(items), words_(std::move(words)), are_heads_(are_heads), room_(room), terminal_(terminal) {}

  bool empty() const { return items_.size == 0; }
  std::string at(std::int64_t rank) const;
  /// The display columns of the widest; 0 where there is none.
  std::int64_t widest() const;

 private:
  torch::ShownItems items_{0, 0, 0, false};
  std::vector<std::string> words_;
  bool are_heads_ = false;
  std::int64_t room_ = 0;
  Terminal terminal_;
};

/// The shown items of the last two axes (of fewer axes, one row or one cell) and their names.
struct Grid {
  torch::ShownItems rows;
  torch::ShownItems columns;
  Names row_names;
  Names column_names;
};

using Axes = std::vector<torch::ShownItems>;

/// Rows and columns that count the lesson's tokens have their names, those that count heads the heads', others indices.
Grid grid_of(const Tensor& tensor, const Axes& axes, std::span<const std::string> tokens, const Terminal& terminal);

/// The matrices along the axes before the last two: of each the position of its first element, or -1 for those that are
/// left out between two.
std::vector<std::int64_t> matrices_of(const Axes& axes);

/// What stands over the matrix whose first element is at a position: "[0, 1] head 2".
std::function<std::string(std::int64_t)> matrix_headings(const Tensor& tensor);

/// Where the smallest and the largest finite number shown stand; of several, the first.
struct Extremes {
  Scale scale{std::span<const double>()};
  std::int64_t low = 0;
  std::int64_t high = 0;
};

Extremes extremes_of(const Contents& contents, const Axes& axes);

/// The numbers of a tensor, each with the text that fits into so many columns.
class CellTexts {
 public:
  CellTexts(std::shared_ptr<const Contents> contents, torch::PrintOptions print, std::int64_t room,
            const Terminal& terminal);

  /// The display columns of the widest shown one.
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

/// Draws the matrices of a tensor, all in the same columns, line by line. What it is given must outlive it.
class Drawing {
 public:
  Drawing(const Grid& grid, const CellTexts& cells, const Painter& painter, const Terminal& terminal);

  /// The lines of one matrix.
  std::int64_t count() const { return static_cast<std::int64_t>(blocks_.size()) * lines_of_block(); }
  /// A line of the matrix whose first element is at this position of the tensor.
  text::StyledLine line(std::int64_t i, std::int64_t first, const CellMarks& marks) const;
  /// Where a cell of the matrix stands among its lines.
  CellPlace place(const GridCell& cell) const;

 private:
  /// The columns [begin, end) of the grid, as far as they fit beside each other.
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
  text::StyledLine row_line(const Block& block, std::int64_t row, std::int64_t first, const CellMarks& marks) const;

  const Grid& grid_;
  const CellTexts& cells_;
  const Painter& painter_;
  const Terminal& terminal_;
  std::int64_t label_ = 0;  ///< columns of the row names, with the blank after them
  std::int64_t cell_ = 0;   ///< columns of one cell
  std::vector<Block> blocks_;
};

}  // namespace attn::render
