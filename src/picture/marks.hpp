#pragma once

#include <cstdint>
#include <limits>
#include <optional>

/// Cells of a shown tensor, and marks on them.
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

struct CellMarks {
  std::int64_t rows =
      std::numeric_limits<std::int64_t>::max();  ///< rows from this one on are hidden: "?" for each number
  std::optional<GridCell> chosen = {};           ///< shown in reverse

  bool hides(std::int64_t row) const { return row >= rows; }
  bool chooses(const GridCell& cell) const { return chosen == cell; }
};

}  // namespace attn::render
