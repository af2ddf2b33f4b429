#include "picture/heatmap_grid.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "lesson/lineage.hpp"
#include "text/columns.hpp"
#include "torch/print.hpp"

namespace attn::render {
namespace {

constexpr std::string_view dots = " ...";
constexpr auto dots_columns = static_cast<std::int64_t>(dots.size());

std::vector<std::string> words_of(bool by_tokens, std::span<const std::string> tokens, const Terminal& terminal) {
  std::vector<std::string> words;
  for (const std::string& token : by_tokens ? tokens : std::span<const std::string>()) {
    words.push_back(printable(token, terminal));
  }
  return words;
}

void add_matrices(const Axes& axes, std::size_t axis, std::int64_t index, std::vector<std::int64_t>& firsts) {
  if (axis + 2 >= axes.size()) {
    const std::int64_t rows = axes.size() < 2 ? 1 : axes[axes.size() - 2].size;
    firsts.push_back(axes.empty() ? index : index * rows * axes.back().size);
    return;
  }
  const torch::ShownItems& items = axes[axis];
  for (std::int64_t rank = 0; rank < items.count(); ++rank) {
    if (items.dots_before(rank)) {
      firsts.push_back(-1);
    }
    add_matrices(axes, axis + 1, index * items.size + items.item(rank), firsts);
  }
}

}  // namespace

Grid grid_of(const Tensor& tensor, const Axes& axes, std::span<const std::string> tokens, const Terminal& terminal) {
  constexpr torch::ShownItems one = {1, 1, 1, false};
  Grid grid{one, one, {}, {}};
  const std::size_t dim = axes.size();
  const std::vector<bool> by_tokens = token_axes(tensor, tokens.size());
  if (dim >= 1) {
    grid.columns = axes[dim - 1];
    grid.column_names = {grid.columns, words_of(by_tokens[dim - 1], tokens, terminal), counts_heads(tensor, dim - 1),
                         terminal.width, terminal};
  }
  if (dim >= 2) {
    grid.rows = axes[dim - 2];
    grid.row_names = {grid.rows, words_of(by_tokens[dim - 2], tokens, terminal), counts_heads(tensor, dim - 2),
                      std::clamp<std::int64_t>(terminal.width / 5, 3, 20), terminal};
  }
  return grid;
}

std::vector<std::int64_t> matrices_of(const Axes& axes) {
  std::vector<std::int64_t> firsts;
  add_matrices(axes, 0, 0, firsts);
  return firsts;
}

std::function<std::string(std::int64_t)> matrix_headings(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  std::size_t head_axis = 0;
  while (head_axis < shape.size() && !counts_heads(tensor, head_axis)) {
    ++head_axis;
  }
  return [shape, head_axis](std::int64_t first) {
    Shape index = index_at(first, shape);
    index.resize(index.size() - 2);
    return shape_text(index) + (head_axis < index.size() ? " " + head_name(index[head_axis]) : "");
  };
}

Extremes extremes_of(const Contents& contents, const Axes& axes) {
  Extremes found;
  std::visit(
      [&]<class Element>(const Block<Element>& block) {
        auto include = [&](const Element& element) {
          const auto value = static_cast<double>(element);
          if (std::isfinite(value) && value < found.scale.low) {
            found.scale.low = value;
            found.low = &element - block.data();
          }
          if (std::isfinite(value) && value > found.scale.high) {
            found.scale.high = value;
            found.high = &element - block.data();
          }
        };
        torch::for_each_shown(torch::View<Element>{block.data(), axes, static_cast<std::int64_t>(block.size())},
                              include);
      },
      contents);
  return found;
}

std::string Names::at(std::int64_t rank) const {
  if (empty()) {
    return "";
  }
  const std::int64_t item = items_.item(rank);
  const std::string number = are_heads_ ? head_name(item) : std::to_string(item);
  return cut_to(words_.empty() ? number : words_[static_cast<std::size_t>(item)], room_, terminal_);
}

std::int64_t Names::widest() const {
  if (empty() || words_.empty()) {
    return text::display_columns(at(items_.count() - 1));
  }
  std::int64_t columns = 0;
  for (std::int64_t rank = 0; rank < items_.count(); ++rank) {
    columns = std::max(columns, text::display_columns(at(rank)));
  }
  return columns;
}

/// Drops decimals until the number fits, then tries scientific notation, then cuts the text.
CellTexts::CellTexts(std::shared_ptr<const Contents> contents, torch::PrintOptions print, std::int64_t room,
                     const Terminal& terminal)
    : contents_(std::move(contents)), room_(room), terminal_(terminal) {
  const auto measure = [&] { return static_cast<std::int64_t>(torch::longest_element(*contents_, print)); };
  std::int64_t columns = measure();
  while (columns > room && print.precision > 0) {
    print.precision -= static_cast<int>(std::min<std::int64_t>(columns - room, print.precision));
    columns = measure();
  }
  if (columns > room) {
    print.sci_mode = torch::SciMode::on;
    columns = measure();
  }
  widest_ = std::min(columns, room);
  print_ = torch::element_printer(contents_, print);
}

double CellTexts::value(std::int64_t position) const {
  return std::visit([&](const auto& block) { return static_cast<double>(block[static_cast<std::size_t>(position)]); },
                    *contents_);
}

std::string CellTexts::text(std::int64_t position) const { return cut_to(print_(position), room_, terminal_); }

Drawing::Drawing(const Grid& grid, const CellTexts& cells, const Painter& painter, const Terminal& terminal)
    : grid_(grid), cells_(cells), painter_(painter), terminal_(terminal) {
  const std::int64_t names = grid.row_names.widest();
  label_ = names == 0 ? 0 : names + 1;
  const std::int64_t room = terminal.width - label_;
  const std::int64_t number = cells.widest() + painter.padding();
  const std::int64_t named = std::min(grid.column_names.widest() + 2, number + 6);
  const std::int64_t fitting = (room - (grid.columns.cut ? dots_columns : 0)) / grid.columns.count();
  cell_ = std::max(number, std::min(named, fitting));
  split(room);
}

text::StyledLine Drawing::line(std::int64_t i, std::int64_t first, const std::optional<GridCell>& chosen) const {
  const Block& block = blocks_[static_cast<std::size_t>(i / lines_of_block())];
  const std::int64_t in_block = i % lines_of_block();
  if (in_block < lines_above()) {
    const bool is_title = blocks_.size() > 1 && in_block == 0;
    return is_title ? text::StyledLine{{title(block)}} : names_line(block);
  }
  const std::int64_t row = in_block - lines_above();
  if (grid_.rows.cut && row == grid_.rows.head_end) {
    return {{"..."}};
  }
  return row_line(block, row - (grid_.rows.cut && row > grid_.rows.head_end ? 1 : 0), first, chosen);
}

CellPlace Drawing::place(const GridCell& cell) const {
  const auto block = std::ranges::upper_bound(blocks_, cell.column, {}, &Block::begin) - 1;
  const std::int64_t dots_rows = grid_.rows.cut && cell.row >= grid_.rows.head_end ? 1 : 0;
  std::int64_t column = label_;
  for (std::int64_t before = block->begin; before <= cell.column; ++before) {
    column += (dots_before(*block, before) ? dots_columns : 0) + (before < cell.column ? cell_ : 0);
  }
  return {(block - blocks_.begin()) * lines_of_block() + lines_above() + cell.row + dots_rows, column, cell_};
}

void Drawing::split(std::int64_t room) {
  std::int64_t left = 0;
  for (std::int64_t column = 0; column < grid_.columns.count(); ++column) {
    const std::int64_t before = grid_.columns.dots_before(column) ? dots_columns : 0;
    const std::int64_t needed = cell_ + before;
    if (needed > left) {
      blocks_.push_back({column, column});
      left = room + before;  // at the edge of a block, its title covers what is left out
    }
    left -= needed;
    blocks_.back().end = column + 1;
  }
}

bool Drawing::dots_before(const Block& block, std::int64_t column) const {
  return grid_.columns.dots_before(column) && column > block.begin;
}

std::string Drawing::title(const Block& block) const {
  const std::string from = std::to_string(grid_.columns.item(block.begin));
  const std::string to = std::to_string(grid_.columns.item(block.end - 1));
  return block.end - block.begin == 1 ? "column " + from : "columns " + from + "-" + to;
}

text::StyledLine Drawing::names_line(const Block& block) const {
  std::string line = text::left_aligned("", label_);
  for (std::int64_t column = block.begin; column < block.end; ++column) {
    line += dots_before(block, column) ? dots : "";
    const std::string name = cut_to(grid_.column_names.at(column), cell_ - 2, terminal_);
    line += in_cell(name) + " ";
  }
  return text::without_blank_end({{line}});
}

std::string Drawing::in_cell(const std::string& text) const { return text::right_aligned(text, cell_ - 1); }

text::StyledLine Drawing::row_line(const Block& block, std::int64_t row, std::int64_t first,
                                   const std::optional<GridCell>& chosen) const {
  text::StyledLine line;
  text::append(line, text::left_aligned(grid_.row_names.at(row), label_));
  for (std::int64_t column = block.begin; column < block.end; ++column) {
    if (dots_before(block, column)) {
      text::append(line, dots);
    }
    const std::int64_t position = first + grid_.rows.item(row) * grid_.columns.size + grid_.columns.item(column);
    Look look = painter_.look(cells_.value(position));
    look.style.reverse = chosen == GridCell{row, column};
    text::append(line, in_cell(cells_.text(position)) + (painter_.coloured() ? " " : look.glyph), look.style);
  }
  return text::without_blank_end(std::move(line));
}

}  // namespace attn::render
