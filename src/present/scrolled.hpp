#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "picture/marks.hpp"
#include "present/long_lines.hpp"
#include "present/screen.hpp"
#include "text/styled.hpp"

namespace attn::present {

/// A view of lines: which `rows` of them are visible, and which `columns` of each.
class ScrolledLines {
 public:
  /// Replaces the lines, with `long_ones` (or null) before the others; the scroll position stays.
  void set(std::shared_ptr<const LongLines> long_ones, std::vector<text::StyledLine> others);
  /// Scrolls no further than the last line in the last of `rows`.
  void keep_within(std::int64_t rows);

  void to_begin();
  /// Scrolls as little as needed to show a cell.
  void to_see(const render::CellPlace& place, std::int64_t rows, std::int64_t columns);
  /// Scrolls to the first line that contains this text, ignoring case.
  void to_text(std::string_view wanted, std::int64_t rows);
  std::int64_t row() const { return top_; }

  /// Returns true if the key scrolls; keep_within then limits the rows.
  bool scroll(Key::Kind kind, std::int64_t rows, std::int64_t columns);

  std::int64_t count() const { return static_cast<std::int64_t>(long_count() + others_.size()); }
  /// The visible lines, then empty ones.
  std::vector<text::StyledLine> seen(std::int64_t rows, std::int64_t columns) const;
  /// "3-20 of 40 lines  " if not all lines are visible.
  std::string place(std::int64_t rows) const;

 private:
  std::size_t long_count() const { return long_ == nullptr ? 0 : long_->count(); }
  text::StyledLine line(std::int64_t row) const;
  std::int64_t widest();

  std::shared_ptr<const LongLines> long_;
  std::vector<text::StyledLine> others_;
  std::optional<std::int64_t> widest_;  ///< computed on demand
  std::int64_t top_ = 0;
  std::int64_t left_ = 0;
};

}  // namespace attn::present
