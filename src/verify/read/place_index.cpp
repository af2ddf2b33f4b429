#include "verify/read/place_index.hpp"

#include <algorithm>

namespace attn::verify {
namespace {

template <class Entry>
const Entry* last_up_to(const std::vector<Entry>& entries, std::size_t offset) {
  const auto after = std::ranges::upper_bound(entries, offset, {}, [](const Entry& entry) { return entry.offset; });
  return after == entries.begin() ? nullptr : &*(after - 1);
}

/// The last entry for an offset counts.
template <class Entry>
void drop_at(std::vector<Entry>& entries, std::size_t offset) {
  if (!entries.empty() && entries.back().offset == offset) {
    entries.pop_back();
  }
}

}  // namespace

void PlaceIndex::note(std::size_t offset, const Place& place) {
  const auto begin = static_cast<std::uint32_t>(offset);
  drop_at(cells_, offset);
  const Cells before = cells_.empty() ? Cells{} : cells_.back();
  if (place.cell != before.cell || place.number != before.number) {
    cells_.push_back({begin, place.cell, place.number});
  }
  drop_at(lines_, offset);
  lines_.push_back({begin, place.line});
}

Place PlaceIndex::at(std::size_t offset) const {
  const Lines* lines = last_up_to(lines_, offset);
  const Cells* cells = last_up_to(cells_, offset);
  return {lines == nullptr ? 1 : lines->line, cells == nullptr ? 0 : cells->cell, cells == nullptr ? 0 : cells->number};
}

}  // namespace attn::verify
