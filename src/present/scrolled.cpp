#include "present/scrolled.hpp"

#include <algorithm>
#include <utility>

#include "text/lines.hpp"

namespace attn::present {

void ScrolledLines::set(std::vector<text::StyledLine> lines, std::int64_t rows) {
  lines_ = std::move(lines);
  top_ = std::clamp<std::int64_t>(top_, 0, std::max<std::int64_t>(count() - rows, 0));
}

void ScrolledLines::to_begin() {
  top_ = 0;
  left_ = 0;
}

void ScrolledLines::to_last(std::int64_t lines, std::int64_t rows) {
  top_ = count() <= rows ? 0 : count() - lines;
  left_ = 0;
}

void ScrolledLines::to_text(std::string_view wanted, std::int64_t rows) {
  const std::string lower = text::lower(wanted);
  for (std::int64_t row = 0; row < count(); ++row) {
    const std::string line = text::plain_text(lines_[static_cast<std::size_t>(row)]);
    if (text::lower(line).find(lower) != std::string::npos) {
      top_ = row < rows ? 0 : row;
      return;
    }
  }
}

bool ScrolledLines::scroll(Key::Kind kind, std::int64_t rows, std::int64_t columns) {
  using enum Key::Kind;
  const std::int64_t screenful = std::max<std::int64_t>(rows - 1, 1);
  const std::int64_t sideways = std::max<std::int64_t>(columns / 4, 1);
  switch (kind) {
    case up: --top_; break;
    case down: ++top_; break;
    case page_up: top_ -= screenful; break;
    case page_down: top_ += screenful; break;
    case home: to_begin(); break;
    case end: top_ = count(); break;
    case left: left_ = std::max<std::int64_t>(left_ - sideways, 0); break;
    case right: {
      std::int64_t widest = 0;
      for (const text::StyledLine& line : lines_) {
        widest = std::max(widest, text::display_columns(line));
      }
      left_ = std::clamp<std::int64_t>(widest - columns, 0, left_ + sideways);
      break;
    }
    default: return false;
  }
  return true;
}

std::vector<text::StyledLine> ScrolledLines::seen(std::int64_t rows, std::int64_t columns) const {
  std::vector<text::StyledLine> part(static_cast<std::size_t>(std::max<std::int64_t>(rows, 0)));
  for (std::int64_t row = 0; row < std::min(rows, count() - top_); ++row) {
    part[static_cast<std::size_t>(row)] = text::sliced(lines_[static_cast<std::size_t>(top_ + row)], left_, columns);
  }
  return part;
}

std::string ScrolledLines::place(std::int64_t rows) const {
  if (count() <= rows) {
    return "";
  }
  return std::to_string(top_ + 1) + "-" + std::to_string(std::min(top_ + rows, count())) + " of " +
         std::to_string(count()) + " lines  ";
}

}  // namespace attn::present
