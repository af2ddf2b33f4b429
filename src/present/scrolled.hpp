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

/// Lines of which a part is seen, `rows` of them and `columns` of each, and which part.
class ScrolledLines {
 public:
  /// Other lines, `long_ones` (or null) before the others, seen from the same place.
  void set(std::shared_ptr<const LongLines> long_ones, std::vector<text::StyledLine> others);
  /// Not further down than that the last line is in the last of `rows`.
  void keep_within(std::int64_t rows);

  void to_begin();
  /// Scrolls as little as it takes for a cell to be seen.
  void to_see(const render::CellPlace& place, std::int64_t rows, std::int64_t columns);
  /// The first line that has this text, whatever the case of its letters, comes into sight.
  void to_text(std::string_view wanted, std::int64_t rows);
  void to_row(std::int64_t top) { top_ = top; }
  std::int64_t row() const { return top_; }

  /// Whether the key is one that scrolls; keep_within says how far rows can go.
  bool scroll(Key::Kind kind, std::int64_t rows, std::int64_t columns);

  std::int64_t count() const { return static_cast<std::int64_t>(long_count() + others_.size()); }
  /// What is seen, empty lines below the last one.
  std::vector<text::StyledLine> seen(std::int64_t rows, std::int64_t columns) const;
  /// "3-20 of 40 lines  ", where not all are seen.
  std::string place(std::int64_t rows) const;

 private:
  std::size_t long_count() const { return long_ == nullptr ? 0 : long_->count(); }
  text::StyledLine line(std::int64_t row) const;
  std::int64_t widest();

  std::shared_ptr<const LongLines> long_;
  std::vector<text::StyledLine> others_;
  std::optional<std::int64_t> widest_;  ///< once somebody asked
  std::int64_t top_ = 0;
  std::int64_t left_ = 0;
};

}  // namespace attn::present
