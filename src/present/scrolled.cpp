#include "present/scrolled.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace attn::present {

void ScrolledLines::set(std::shared_ptr<const StepLines> step, Lines others) {
  step_ = std::move(step);
  others_ = std::move(others);
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

bool ScrolledLines::scroll(Key key, std::int64_t rows, std::int64_t columns) {
  const std::int64_t screenful = std::max<std::int64_t>(rows - 1, 1);
  const std::int64_t sideways = std::max<std::int64_t>(columns / 4, 1);
  switch (key) {
    case keys::up: --top_; break;
    case keys::down: ++top_; break;
    case keys::page_up: top_ -= screenful; break;
    case keys::page_down: top_ += screenful; break;
    case keys::home: to_begin(); break;
    case keys::end: top_ = count(); break;
    case keys::left: left_ = std::max<std::int64_t>(left_ - sideways, 0); break;
    case keys::right: left_ = std::clamp<std::int64_t>(widest() - columns, 0, left_ + sideways); break;
    default: return false;
  }
  keep_within(rows);
  return true;
}

Lines ScrolledLines::seen(std::int64_t rows, std::int64_t columns,
                          const std::optional<render::GridCell>& chosen) const {
  Lines part(static_cast<std::size_t>(std::max<std::int64_t>(rows, 0)));
  for (std::int64_t row = 0; row < std::min(rows, count() - top_); ++row) {
    const std::int64_t i = top_ + row;
    const text::StyledLine line = i < step_count() ? step_->line(static_cast<std::size_t>(i), chosen)
                                                   : others_[static_cast<std::size_t>(i - step_count())];
    part[static_cast<std::size_t>(row)] = text::sliced(line, left_, columns);
  }
  return part;
}

std::int64_t ScrolledLines::widest() const {
  std::int64_t widest = step_ == nullptr ? 0 : step_->columns();
  for (const text::StyledLine& other : others_) {
    widest = std::max(widest, text::display_columns(other));
  }
  return widest;
}

std::string ScrolledLines::place(std::int64_t rows) const {
  if (count() <= rows) {
    return "";
  }
  return std::to_string(top_ + 1) + "-" + std::to_string(std::min(top_ + rows, count())) + " of " +
         std::to_string(count()) + " lines  ";
}

}  // namespace attn::present
