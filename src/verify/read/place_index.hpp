#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attn::verify {

/// Where something stands in the file that a reader has.
struct Place {
  std::uint32_t line = 1;    ///< from 1; of a notebook: in the cell's outputs
  std::uint32_t cell = 0;    ///< a notebook's cell, from 1, in the file's order; 0 elsewhere
  std::uint32_t number = 0;  ///< what its reader sees: In [number], or, of a cell without one, which code cell it is
};

/// Which place each offset of a text has. Where the text's line ends are the file's, next to nothing is kept.
class PlaceIndex {
 public:
  /// From the end of the text on, the place is this one. To be told at every line end of the text.
  void note(std::string_view text, std::size_t end, const Place& place);
  /// Of an offset in the text that was noted. Takes logarithmic time.
  Place at(std::string_view text, std::size_t offset) const;

 private:
  /// From an offset on; each line end within a short reach may be one of the file's.
  struct Lines {
    std::uint32_t offset;
    std::uint32_t line;
    bool go_on;  ///< they are
  };
  struct Cells {
    std::uint32_t offset;
    std::uint32_t cell;
    std::uint32_t number;
  };

  static std::uint32_t line_ends(std::string_view text, const Lines& from, std::size_t end);

  std::vector<Lines> lines_;  ///< ascending
  std::vector<Cells> cells_;
};

}  // namespace attn::verify
