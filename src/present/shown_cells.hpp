#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "picture/marks.hpp"
#include "torch/shown.hpp"

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

}  // namespace attn::present
