#include "present/board.hpp"

#include <algorithm>
#include <utility>

namespace attn::present {

void Board::set(std::shared_ptr<const StepLines> lines, ShownCells cells) {
  const std::optional<Shape> index = chosen();
  lines_ = std::move(lines);
  cells_ = std::move(cells);
  chosen_ = index ? cells_.find(*index) : std::nullopt;
  if (hidden_from_ && *hidden_from_ >= cells_.rows()) {
    hidden_from_.reset();
  }
  mark();
}

void Board::clear() {
  chosen_.reset();
  hidden_from_.reset();
  mark();
}

void Board::mark() {
  marks_ = {};
  marks_.chosen = chosen_;
  marks_.rows = hidden_from_.value_or(marks_.rows);
}

std::optional<Shape> Board::chosen() const { return chosen_ ? std::optional(cells_.index(*chosen_)) : std::nullopt; }

bool Board::choose(const Shape& index) {
  const std::optional<render::GridCell> found = cells_.find(index);
  chosen_ = found ? found : chosen_;
  mark();
  return found.has_value();
}

void Board::choose_first() {
  chosen_ = render::GridCell{};
  mark();
}

void Board::leave() {
  chosen_.reset();
  mark();
}

bool Board::move(Key::Kind kind) {
  using enum Key::Kind;
  if (!chosen_) {
    return false;
  }
  switch (kind) {
    case up: --chosen_->row; break;
    case down: ++chosen_->row; break;
    case left: --chosen_->column; break;
    case right: ++chosen_->column; break;
    case home: chosen_->column = 0; break;
    case end: chosen_->column = cells_.columns() - 1; break;
    default: return false;
  }
  chosen_->row = std::clamp<std::int64_t>(chosen_->row, 0, std::max<std::int64_t>(revealed() - 1, 0));
  chosen_->column = std::clamp<std::int64_t>(chosen_->column, 0, cells_.columns() - 1);
  mark();
  return true;
}

bool Board::hides(const Shape& index) const {
  if (!hidden_from_) {
    return false;
  }
  const std::optional<render::GridCell> found = cells_.find(index);
  return !found || found->row >= *hidden_from_;
}

void Board::hide() {
  chosen_.reset();
  hidden_from_ = 0;
  mark();
}

void Board::reveal_row() {
  if (hidden_from_ && ++*hidden_from_ >= cells_.rows()) {
    hidden_from_.reset();
  }
  mark();
}

void Board::reveal_all() {
  hidden_from_.reset();
  mark();
}

}  // namespace attn::present
