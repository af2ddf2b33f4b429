#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attn::verify {

/// A place in the file, as a reader counts.
struct Place {
  std::uint32_t line = 1;    ///< from 1; in a notebook, within the cell's outputs
  std::uint32_t cell = 0;    ///< a notebook's cell, from 1, in file order; 0 elsewhere
  std::uint32_t number = 0;  ///< as displayed: In [number], or the ordinal of a code cell without one
};

/// Maps each offset of a text to its place.
class PlaceIndex {
 public:
  /// Sets the place from this offset on, which is none before the last one.
  void note(std::size_t offset, const Place& place);
  /// The place of an offset. Takes logarithmic time.
  Place at(std::size_t offset) const;

 private:
  struct Lines {
    std::uint32_t offset;
    std::uint32_t line;
  };
  struct Cells {
    std::uint32_t offset;
    std::uint32_t cell;
    std::uint32_t number;
  };

  std::vector<Lines> lines_;  ///< ascending
  std::vector<Cells> cells_;
};

}  // namespace attn::verify
