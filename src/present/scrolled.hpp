#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "present/screen.hpp"
#include "text/styled.hpp"

namespace attn::present {

/// Lines of which a part is seen, `rows` of them and `columns` of each, and which part.
class ScrolledLines {
 public:
  /// Other lines, seen from the same place as far as they reach.
  void set(std::vector<text::StyledLine> lines, std::int64_t rows);

  void to_begin();
  /// The last `lines` lines come first, where not all fit.
  void to_last(std::int64_t lines, std::int64_t rows);
  /// The first line that has this text, whatever the case of its letters, comes into sight.
  void to_text(std::string_view wanted, std::int64_t rows);
  void to_row(std::int64_t top) { top_ = top; }
  std::int64_t row() const { return top_; }

  /// Whether the key is one that scrolls; how far rows can go is known when the lines are next set.
  bool scroll(Key::Kind kind, std::int64_t rows, std::int64_t columns);

  /// What is seen, empty lines below the last one.
  std::vector<text::StyledLine> seen(std::int64_t rows, std::int64_t columns) const;
  /// "3-20 of 40 lines  ", where not all are seen.
  std::string place(std::int64_t rows) const;

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(lines_.size()); }

  std::vector<text::StyledLine> lines_;
  std::int64_t top_ = 0;
  std::int64_t left_ = 0;
};

}  // namespace attn::present
