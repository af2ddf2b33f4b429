#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "present/long_lines.hpp"
#include "present/screen.hpp"
#include "present/shown_cells.hpp"
#include "present/step_lines.hpp"

namespace attn::present {

/// A step's lines with the chosen cell marked and the rows not yet revealed hidden.
class Board final : public LongLines {
 public:
  /// Replaces the lines; the chosen cell and the hidden rows stay if the new lines have them.
  void set(std::shared_ptr<const StepLines> lines, ShownCells cells);
  /// Chooses nothing and hides nothing.
  void clear();

  std::size_t count() const override { return lines_ == nullptr ? 0 : lines_->count(); }
  text::StyledLine styled(std::size_t line) const override { return lines_->styled(line, marks_); }
  std::int64_t columns() const override { return lines_ == nullptr ? 0 : lines_->columns(); }

  bool has_cells() const { return !cells_.empty(); }

  // The chosen cell
  std::optional<Shape> chosen() const;
  /// Returns false if the cell is not shown.
  bool choose(const Shape& index);
  /// Chooses the first cell.
  void choose_first();
  void leave();
  /// Returns true if the key moves the chosen cell; the cell changes only if its neighbour is shown.
  bool move(Key::Kind kind);
  render::CellPlace chosen_place() const { return lines_->place(*marks_.chosen); }

  // Hidden rows
  bool hides() const { return hidden_from_.has_value(); }
  bool hides(const Shape& index) const;
  void hide();
  /// Reveals the next row; does nothing after the last.
  void reveal_row();
  void reveal_all();
  /// "row 2 of 6", and the place of the row revealed last; at least one row must be revealed.
  std::int64_t revealed() const { return hidden_from_.value_or(cells_.rows()); }
  std::int64_t rows() const { return cells_.rows(); }
  render::CellPlace revealed_place() const { return lines_->place({std::max<std::int64_t>(revealed() - 1, 0), 0}); }

 private:
  void mark();

  std::shared_ptr<const StepLines> lines_;
  ShownCells cells_;
  std::optional<render::GridCell> chosen_;
  std::optional<std::int64_t> hidden_from_;
  render::CellMarks marks_;
};

}  // namespace attn::present
