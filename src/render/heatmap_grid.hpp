#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "render/painter.hpp"
#include "render/terminal.hpp"
#include "text/styled.hpp"
#include "torch/shown.hpp"

namespace attn::render {

/// The shown items of the last two axes (of fewer axes, one row or one cell) and their names.
struct Grid {
  torch::ShownItems rows;
  torch::ShownItems columns;
  std::vector<std::string> row_names;     ///< empty ones where there is no such axis
  std::vector<std::string> column_names;
};

/// The display columns of the widest text; 0 where there is none.
std::int64_t widest(const std::vector<std::string>& texts);

/// Draws the matrices of a tensor, all in the same columns. What it is given must outlive it.
class Drawing {
 public:
  /// `values` and `texts` are those of all shown elements, row-major.
  Drawing(const Grid& grid, const std::vector<double>& values, const std::vector<std::string>& texts,
          const Painter& painter, const Terminal& terminal);

  /// Appends the matrix whose first element is at this position of the values.
  void draw(std::vector<text::StyledLine>& lines, std::size_t first) const;

 private:
  /// The columns [begin, end) of the grid, as far as they fit beside each other.
  struct Block {
    std::int64_t begin;
    std::int64_t end;
  };

  void split(std::int64_t room);
  bool dots_before(const Block& block, std::int64_t column) const;
  std::string title(const Block& block) const;
  text::StyledLine names_line(const Block& block) const;
  text::StyledLine row_line(const Block& block, std::int64_t row, std::size_t first) const;

  const Grid& grid_;
  const std::vector<double>& values_;
  const std::vector<std::string>& texts_;
  const Painter& painter_;
  const Terminal& terminal_;
  std::int64_t label_ = 0;  ///< columns of the row names, with the blank after them
  std::int64_t cell_ = 0;   ///< columns of one cell
  std::vector<Block> blocks_;
};

}  // namespace attn::render
