#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attn::verify {

/// A place in the file, as a reader counts.
struct Place {
  std::uint32_t line = 1;    ///< from 1; in a notebook, within the cell's outputs
  std::uint32_t cell = 0;    ///< a notebook's cell, from 1, in file order; 0 elsewhere
  std::uint32_t number = 0;  ///< as displayed: In [number], or the ordinal of a code cell without one
};

/// Maps each offset of a text to its place. Takes almost no memory if the text's line ends are the file's.
class PlaceIndex {
 public:
  /// Sets the place from the text's end on. Must be called at every line end of the text.
  void note(std::string_view text, std::size_t end, const Place& place);
  /// The place of a recorded offset in the text. Takes logarithmic time.
  Place at(std::string_view text, std::size_t offset) const;

 private:
  /// Lines from an offset on; each line end within a short reach may be one of the file's.
  struct Lines {
    std::uint32_t offset;
    std::uint32_t line;
    bool go_on;  ///< the line ends are the file's
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
