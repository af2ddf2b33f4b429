#pragma once

#include "picture/heatmap.hpp"
#include "picture/terminal.hpp"
#include "present/presenter.hpp"
#include "present/screen.hpp"
#include "text/styled.hpp"
#include "torch/print.hpp"
#include "torch/shown.hpp"
#include "walk/walkthrough.hpp"

namespace attn::present {

/// The cells of a tensor that are shown, by row and column.
class ShownCells {
 public:
  /// No cells.
  ShownCells() = default;
  ShownCells(const Shape& shape, const torch::PrintOptions& print);

  bool empty() const { return rows_ == 0 || columns_ == 0; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

  Shape index(const render::GridCell& cell) const;
  /// Empty if the tensor does not have or does not show this cell.
  std::optional<render::GridCell> find(const Shape& index) const;

 private:
  std::vector<torch::ShownItems> axes_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

using Lines = std::vector<text::StyledLine>;

/// A step's lines, made on demand, with the places of its cells.
class StepLines {
 public:
  StepLines() = default;
  StepLines(const StepLines&) = delete;
  StepLines& operator=(const StepLines&) = delete;
  virtual ~StepLines() = default;

  virtual std::size_t count() const = 0;
  /// A line, with the chosen cell in reverse.
  virtual text::StyledLine line(std::size_t i, const std::optional<render::GridCell>& chosen) const = 0;
  /// The largest number of display columns that a line may have.
  virtual std::int64_t columns() const = 0;
  /// The place of a shown cell.
  virtual render::CellPlace place(const render::GridCell& cell) const = 0;
};

/// A text of any length, and the cells in it; no cell spans two lines.
class PrintedLines final : public StepLines {
 public:
  /// `changed`: for each cell, true if it is in reverse while no cell is chosen; empty: none is.
  PrintedLines(torch::PrintedTensor printed, std::int64_t cells_in_row, std::vector<bool> changed = {});

  std::size_t count() const override { return begins_.size(); }
  text::StyledLine line(std::size_t i, const std::optional<render::GridCell>& chosen) const override;
  std::int64_t columns() const override;
  render::CellPlace place(const render::GridCell& cell) const override;

 private:
  torch::PrintedTensor printed_;
  std::int64_t in_row_;
  std::vector<bool> changed_;
  std::vector<std::size_t> begins_;
};

/// A step's view.
struct Face {
  std::shared_ptr<const StepLines> lines;
  ShownCells cells;
};

/// The article's output. Cells that differ from `before`, the same step of another walk or null, are in reverse.
Face printed_face(const Step& step, const Step* before, const render::TextOptions& options);

/// The label, and the tensor as a heat map; the step's text if it is not a tensor.
Face heatmap_face(const Step& step, const Presentation& presentation, const render::Terminal& terminal);

/// A view of lines: which `rows` of them are visible, and which `columns` of each.
class ScrolledLines {
 public:
  /// Replaces the lines, with those of a step (or null) before the others; the scroll position stays.
  void set(std::shared_ptr<const StepLines> step, Lines others);
  /// Scrolls no further than the last line in the last of `rows`.
  void keep_within(std::int64_t rows);

  void to_begin();
  /// Scrolls as little as needed to show a cell.
  void to_see(const render::CellPlace& place, std::int64_t rows, std::int64_t columns);
  std::int64_t row() const { return top_; }

  /// Returns true if the key scrolls.
  bool scroll(Key key, std::int64_t rows, std::int64_t columns);

  std::int64_t count() const { return step_count() + static_cast<std::int64_t>(others_.size()); }
  /// The visible lines, then empty ones.
  Lines seen(std::int64_t rows, std::int64_t columns, const std::optional<render::GridCell>& chosen = {}) const;
  /// "3-20 of 40 lines  " if not all lines are visible.
  std::string place(std::int64_t rows) const;

 private:
  std::int64_t step_count() const { return step_ == nullptr ? 0 : static_cast<std::int64_t>(step_->count()); }
  std::int64_t widest() const;

  std::shared_ptr<const StepLines> step_;
  Lines others_;
  std::int64_t top_ = 0;
  std::int64_t left_ = 0;
};

}  // namespace attn::present
