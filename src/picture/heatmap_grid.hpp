#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "picture/painter.hpp"
#include "picture/terminal.hpp"
#include "tensor/array.hpp"
#include "tensor/tensor.hpp"
#include "torch/print_options.hpp"
#include "torch/shown.hpp"

namespace attn::render {

/// A shown cell: its row among the shown rows of all matrices in order, and its number within the row.
struct GridCell {
  std::int64_t row = 0;
  std::int64_t column = 0;

  friend bool operator==(const GridCell&, const GridCell&) = default;
};

/// The place of a cell among lines.
struct CellPlace {
  std::int64_t line;
  std::int64_t column;  ///< display column
  std::int64_t width;   ///< in display columns
};

/// The shown items of the last two axes and their names. A tensor with fewer axes has one row or one cell.
struct Grid {
  torch::ShownItems rows;
  torch::ShownItems columns;
  std::vector<std::string> row_names;  ///< of the shown items; empty if the axis is missing
  std::vector<std::string> column_names;
};

/// The display columns of the widest name; 0 if there are no names.
std::int64_t widest(const std::vector<std::string>& names);

using Axes = std::vector<torch::ShownItems>;

/// Names for an axis: tokens if it counts the lesson's tokens, heads if it counts heads, else indices.
Grid grid_of(const Tensor& tensor, const Axes& axes, std::span<const std::string> tokens, const Terminal& terminal);

/// The position of the first element of each matrix along the axes before the last two; -1 stands for matrices left out
/// between two shown ones.
std::vector<std::int64_t> matrices_of(const Axes& axes);

/// The heading of the matrix whose first element is at this position: "[0, 1] head 2".
std::function<std::string(std::int64_t)> matrix_headings(const Tensor& tensor);

/// The places of the smallest and the largest finite number shown; the first one if there are several.
struct Extremes {
  Scale scale{std::span<const double>()};
  std::int64_t low = 0;
  std::int64_t high = 0;
};

Extremes extremes_of(const Contents& contents, const Axes& axes);

/// A tensor's numbers, each as text that fits into a given number of columns.
class CellTexts {
 public:
  CellTexts(std::shared_ptr<const Contents> contents, torch::PrintOptions print, std::int64_t room,
            const Terminal& terminal);

  /// The display columns of the widest shown number.
  std::int64_t widest() const { return widest_; }
  double value(std::int64_t position) const;
  std::string text(std::int64_t position) const;

 private:
  std::shared_ptr<const Contents> contents_;
  std::function<std::string(std::int64_t)> print_;
  std::int64_t room_;
  std::int64_t widest_;
  Terminal terminal_;
};

}  // namespace attn::render
