#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "picture/heatmap_grid.hpp"
#include "present/screen.hpp"
#include "present/step_lines.hpp"
#include "text/styled.hpp"
#include "torch/shown.hpp"

namespace attn::present {

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
