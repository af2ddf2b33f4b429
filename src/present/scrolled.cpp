#include "present/scrolled.hpp"

#include <algorithm>
#include <utility>

#include "text/columns.hpp"
#include "text/lines.hpp"

namespace attn::present {

void ScrolledLines::set(std::shared_ptr<const LongLines> long_ones, std::vector<text::StyledLine> others) {
  long_ = std::move(long_ones);
  others_ = std::move(others);
  widest_.reset();
}

void ScrolledLines::keep_within(std::int64_t rows) {
  top_ = std::clamp<std::int64_t>(top_, 0, std::max<std::int64_t>(count() - rows, 0));
}

void ScrolledLines::to_begin() {
  top_ = 0;
  left_ = 0;
}

void ScrolledLines::to_see(const render::CellPlace& place, std::int64_t rows, std::int64_t columns) {
  const auto seen_from = [](std::int64_t begin, std::int64_t size, std::int64_t from, std::int64_t room) {
    if (begin < from) {
      return begin + size <= room ? 0 : begin;
    }
    return std::max(from, std::min(begin, begin + size - room));
  };
  top_ = seen_from(place.line, 1, top_, rows);
  left_ = seen_from(place.column, place.width, left_, columns);
}

void ScrolledLines::to_text(std::string_view wanted, std::int64_t rows) {
  const std::string lower = text::lower(wanted);
  for (std::int64_t row = 0; row < count(); ++row) {
    if (text::lower(text::plain_text(line(row))).find(lower) != std::string::npos) {
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
    case right: left_ = std::clamp<std::int64_t>(widest() - columns, 0, left_ + sideways); break;
    default: return false;
  }
  return true;
}

std::vector<text::StyledLine> ScrolledLines::seen(std::int64_t rows, std::int64_t columns) const {
  std::vector<text::StyledLine> part(static_cast<std::size_t>(std::max<std::int64_t>(rows, 0)));
  for (std::int64_t row = 0; row < std::min(rows, count() - top_); ++row) {
    part[static_cast<std::size_t>(row)] = text::sliced(line(top_ + row), left_, columns);
  }
  return part;
}

text::StyledLine ScrolledLines::line(std::int64_t row) const {
  const auto i = static_cast<std::size_t>(row);
  return i < long_count() ? long_->styled(i) : others_[i - long_count()];
}

std::int64_t ScrolledLines::widest() {
  if (!widest_) {
    widest_ = long_ == nullptr ? 0 : long_->columns();
    for (const text::StyledLine& other : others_) {
      widest_ = std::max(*widest_, text::display_columns(other));
    }
  }
  return *widest_;
}

std::string ScrolledLines::place(std::int64_t rows) const {
  if (count() <= rows) {
    return "";
  }
  return std::to_string(top_ + 1) + "-" + std::to_string(std::min(top_ + rows, count())) + " of " +
         std::to_string(count()) + " lines  ";
}

}  // namespace attn::present
