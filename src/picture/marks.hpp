#pragma once

#include <cstdint>

/// Cells of a shown tensor.
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

}  // namespace attn::render
