#include "verify/read/place_index.hpp"

#include <algorithm>

namespace attn::verify {
namespace {

/// Line ends farther than this from an entry have entries of their own.
constexpr std::size_t reach = 64;

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

void PlaceIndex::note(std::string_view text, std::size_t end, const Place& place) {
  const auto offset = static_cast<std::uint32_t>(end);
  drop_at(cells_, end);
  const Cells before = cells_.empty() ? Cells{} : cells_.back();
  if (place.cell != before.cell || place.number != before.number) {
    cells_.push_back({offset, place.cell, place.number});
  }
  drop_at(lines_, end);
  if (!lines_.empty() && end - lines_.back().offset < reach) {
    Lines& last = lines_.back();
    const std::uint32_t ends = line_ends(text, last, end);
    if (ends == 1 && place.line == last.line) {
      last.go_on = false;
    }
    if (place.line == last.line + (last.go_on ? ends : 0)) {
      return;
    }
  }
  lines_.push_back({offset, place.line, true});
}

Place PlaceIndex::at(std::string_view text, std::size_t offset) const {
  Place place;
  if (const Lines* lines = last_up_to(lines_, offset)) {
    place.line = lines->line + (lines->go_on ? line_ends(text, *lines, offset) : 0);
  }
  if (const Cells* cells = last_up_to(cells_, offset)) {
    place.cell = cells->cell;
    place.number = cells->number;
  }
  return place;
}

std::uint32_t PlaceIndex::line_ends(std::string_view text, const Lines& from, std::size_t end) {
  const std::size_t begin = std::min<std::size_t>(from.offset, text.size());
  const std::string_view behind = text.substr(begin, std::min(end - from.offset, reach));
  return static_cast<std::uint32_t>(std::ranges::count(behind, '\n'));
}

}  // namespace attn::verify
