#pragma once

#include <cstdint>
#include <limits>
#include <optional>

/// Cells of a tensor that is shown, and what is put on them for the eye.
namespace attn::render {

/// One of the cells that are shown: which of the shown rows, those of all matrices in order, and which number of it.
struct GridCell {
  std::int64_t row = 0;
  std::int64_t column = 0;

  friend bool operator==(const GridCell&, const GridCell&) = default;
};

/// Where a cell stands among lines.
struct CellPlace {
  std::int64_t line;
  std::int64_t column;  ///< of the display
  std::int64_t width;   ///< in display columns
};

struct CellMarks {
  std::int64_t rows =
      std::numeric_limits<std::int64_t>::max();  ///< those after so many are hidden, a "?" for each number
  std::optional<GridCell> chosen = {};           ///< in reverse

  bool hides(std::int64_t row) const { return row >= rows; }
  bool chooses(const GridCell& cell) const { return chosen == cell; }
};

}  // namespace attn::render
